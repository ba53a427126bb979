package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// Document holds everything that a report shows.
type Document struct {
	// The experiment with its status.
	Experiment *v1beta1.SizingExperiment
	// The experiment's trials, in the order they were planned.
	Trials []v1beta1.SizingTrial
	// A row for each variant in the matrix's order, followed by the predicted variants.
	Rows []Row
	// How the numbers were measured, and how to measure them again.
	Method Method
}

// New returns the document of an experiment and its trials. It does not change them.
func New(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) Document {
	planned := slices.Clone(trials)
	slices.SortStableFunc(planned, func(a, b v1beta1.SizingTrial) int {
		return cmp.Or(cmp.Compare(a.Spec.Sequence, b.Spec.Sequence), cmp.Compare(a.Name, b.Name))
	})
	return Document{
		Experiment: experiment,
		Trials:     planned,
		Rows:       rows(experiment, matrix.Measurements(planned)),
		Method:     Method{Facts: facts(experiment, planned), Manifest: manifest(experiment)},
	}
}

// Name returns namespace/name, or the name alone if there is no namespace.
func (d Document) Name() string {
	if d.Experiment.Namespace == "" {
		return d.Experiment.Name
	}
	return d.Experiment.Namespace + "/" + d.Experiment.Name
}

// Currency returns the currency of the prices. It is empty without prices.
func (d Document) Currency() string {
	return ptr.Deref(d.Experiment.Spec.Prices, v1beta1.Prices{}).Currency
}

// HasDemand reports whether the experiment has a demand.
func (d Document) HasDemand() bool { return d.Experiment.Spec.Demand != nil }

// Row returns the row of a variant, or nil if no variant has the name.
func (d Document) Row(variant string) *Row {
	for i := range d.Rows {
		if d.Rows[i].Result.Variant == variant {
			return &d.Rows[i]
		}
	}
	return nil
}

func (d Document) progress() string {
	status := &d.Experiment.Status
	switch progress := status.Progress; {
	case status.Phase == v1beta1.ExperimentSuspended:
		return fmt.Sprintf("Suspended after %s.", d.trialsDone())
	case progress == nil:
		return "Not started yet."
	case progress.QueuePosition != nil:
		return fmt.Sprintf("Queued at position %d after %s.", *progress.QueuePosition, d.trialsDone())
	case len(progress.Running) > 0:
		return fmt.Sprintf("Running: %s done, now %s%s.", d.trialsDone(), strings.Join(progress.Running, ", "), ending(progress.EstimatedEndTime))
	default:
		return fmt.Sprintf("%s: %s done%s.", status.Phase, d.trialsDone(), ending(progress.EstimatedEndTime))
	}
}

func ending(at *metav1.Time) string {
	if at == nil {
		return ""
	}
	return ", expected to finish at " + moment(at)
}

func moment(at *metav1.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.DateTime) + " UTC"
}

func (d Document) trialsDone() string {
	progress := d.Experiment.Status.Progress
	if progress == nil {
		return "no trial"
	}
	return fmt.Sprintf("%d of %d trials", progress.Finished, progress.Trials)
}

func (d Document) soFar() string {
	if d.highest() == nil {
		return "No results yet."
	}
	return "So far: " + d.best()
}
