package report

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
)

// standing is how far an experiment has come that has not ended.
func (d Document) standing() string {
	status := &d.Experiment.Status
	switch progress := status.Progress; {
	case status.Phase == v1alpha1.ExperimentSuspended:
		return fmt.Sprintf("Suspended after %s.", d.trialsDone())
	case progress == nil:
		return "Not begun yet."
	case progress.QueuePosition != nil:
		return fmt.Sprintf("Queued at place %d after %s.", *progress.QueuePosition, d.trialsDone())
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
	return ", likely to end at " + moment(at)
}

// moment reads 2026-11-21 14:05:09 UTC.
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

// soFar is the best that is known already; empty where nothing is.
func (d Document) soFar() string {
	if summary.Best(d.Experiment.Status.Results) == nil {
		return "Nothing can be told yet."
	}
	return "So far: " + d.best()
}
