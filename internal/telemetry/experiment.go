package telemetry

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// ofExperiment are the labels of every series of an experiment.
var ofExperiment = []string{"namespace", "experiment"}

var (
	experimentPhase = define("experiment_phase", "The phase that the experiment is in; always 1.", ofExperiment, "phase")
	experimentEnd   = define("experiment_end", "Why the experiment ended as it did; always 1.", ofExperiment, "reason")
	queuePosition   = define("experiment_queue_position", "The experiment's place among those that wait; 1 is next.", ofExperiment)
)

var experimentReadings = []reading[*v1alpha1.SizingExperiment]{
	{define("experiment_trials_planned", "Trials that the experiment has.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return progress(e, func(p *v1alpha1.Progress) int32 { return p.Trials })
		}},
	{define("experiment_trials_finished", "Trials of the experiment that have ended, in whichever way.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return progress(e, func(p *v1alpha1.Progress) int32 { return p.Finished })
		}},
	{define("experiment_objective_p95_seconds", "The p95 that the experiment asks for.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return float64(e.Spec.Objective.P95Milliseconds) / 1000, true
		}},
	{define("experiment_objective_p50_seconds", "The median latency that the experiment asks for, if it asks for one.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return float64(e.Spec.Objective.P50Milliseconds) / 1000, e.Spec.Objective.P50Milliseconds > 0
		}},
	{define("experiment_objective_p99_seconds", "The p99 that the experiment asks for, if it asks for one.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return float64(e.Spec.Objective.P99Milliseconds) / 1000, e.Spec.Objective.P99Milliseconds > 0
		}},
	{define("experiment_start_timestamp_seconds", "When the experiment's first trial began.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) { return unix(e.Status.StartTime) }},
	{define("experiment_completion_timestamp_seconds", "When the experiment ended.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) { return unix(e.Status.CompletionTime) }},
	{define("experiment_estimated_end_timestamp_seconds", "When the experiment is likely to end.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			if e.Status.Progress == nil {
				return 0, false
			}
			return unix(e.Status.Progress.EstimatedEndTime)
		}},
}

func progress(e *v1alpha1.SizingExperiment, count func(*v1alpha1.Progress) int32) (float64, bool) {
	if e.Status.Progress == nil {
		return 0, false
	}
	return float64(count(e.Status.Progress)), true
}

// experiment adds where an experiment stands.
func (g *gathering) experiment(e *v1alpha1.SizingExperiment, turns queue.Turns) {
	values := []string{e.Namespace, e.Name}
	g.add(experimentPhase, 1, with(values, string(phaseOf(e)))...)
	finished := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionFinished)
	if e.Status.Phase.Finished() && finished != nil {
		g.add(experimentEnd, 1, with(values, orNone(finished.Reason))...)
	}
	if position, waits := turns.Position[e.UID]; waits {
		g.add(queuePosition, float64(position), values...)
	}
	read(g, experimentReadings, e, values)
}
