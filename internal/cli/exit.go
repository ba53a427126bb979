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
	// ExitNotMet means that the measurement shows that it can't be met.
	ExitNotMet = 1
	// ExitFailed means that there is no result.
	ExitFailed = 2
)

// errNotMet ends a command after it has printed that the objective can't be met.
var errNotMet = errors.New("the objective can't be met")

// exit writes the error to out and returns the exit code for it.
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

// answered returns nil if a finished experiment can meet the objective, errNotMet if
// it can't, and otherwise an error that says why there is no result.
func answered(d report.Document) error {
	switch status := &d.Experiment.Status; status.Phase {
	case v1alpha1.ExperimentSucceeded:
		return met(d)
	case v1alpha1.ExperimentCancelled:
		return errors.New("the experiment was cancelled before all of its trials had finished")
	default:
		reason := ""
		if finished := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFinished); finished != nil {
			reason = ": " + finished.Message
		}
		return fmt.Errorf("the experiment ended as %s%s", status.Phase, reason)
	}
}

// met returns nil if the objective can be met, and errNotMet otherwise.
func met(d report.Document) error {
	if !d.Met() {
		return errNotMet
	}
	return nil
}
