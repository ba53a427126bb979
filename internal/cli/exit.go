package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// The exit codes, as continuous integration reads them.
const (
	// ExitMet means that the objective can be met: with a demand that a size is
	// recommended, without one that some variant meets it.
	ExitMet = 0
	// ExitNotMet means that it was measured, and can't.
	ExitNotMet = 1
	// ExitFailed means that there is no answer.
	ExitFailed = 2
)

// errNotMet ends a command whose answer is no. The answer has been printed.
var errNotMet = errors.New("the objective can't be met")

// exit says on standard error what went wrong, and gives the code for it.
func exit(err error, out io.Writer) int {
	switch {
	case err == nil:
		return ExitMet
	case errors.Is(err, errNotMet):
		return ExitNotMet
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(out, err)
	default:
		fmt.Fprintln(out, "error:", err)
	}
	return ExitFailed
}

// answered is nil where an ended experiment says yes, errNotMet where it says
// no, and else why it says nothing.
func answered(d report.Document) error {
	switch status := &d.Experiment.Status; status.Phase {
	case v1alpha1.ExperimentSucceeded:
		return met(d)
	case v1alpha1.ExperimentCancelled:
		return errors.New("the experiment was cancelled before all of its trials had ended")
	default:
		why := ""
		if finished := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFinished); finished != nil {
			why = ": " + finished.Message
		}
		return fmt.Errorf("the experiment ended as %s%s", status.Phase, why)
	}
}

// met is nil where the objective can be met, else errNotMet.
func met(d report.Document) error {
	if !d.Met() {
		return errNotMet
	}
	return nil
}
