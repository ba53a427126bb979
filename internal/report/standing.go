package report

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// progress returns the progress of an experiment that has not finished.
func (d Document) progress() string {
	status := &d.Experiment.Status
	switch progress := status.Progress; {
	case status.Phase == v1alpha1.ExperimentSuspended:
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

// moment returns a time as text: 2026-11-21 14:05:09 UTC.
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

// soFar returns the best result until now.
func (d Document) soFar() string {
	if results.Best(d.Experiment.Status.Results) == nil {
		return "No results yet."
	}
	return "So far: " + d.best()
}
