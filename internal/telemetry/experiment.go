package telemetry

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// ofExperiment are the labels of every series of an experiment.
var ofExperiment = []string{"namespace", "experiment"}

var (
	experimentPhase = define("experiment_phase", "The phase of the experiment; always 1.", ofExperiment, "phase")
	experimentEnd   = define("experiment_end", "The reason why the experiment finished; always 1.", ofExperiment, "reason")
	queuePosition   = define("experiment_queue_position", "The experiment's position in the queue; 1 is next.", ofExperiment)
)

var experimentReadings = []reading[*v1alpha1.SizingExperiment]{
	{define("experiment_trials_planned", "Planned trials of the experiment.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return progress(e, func(p *v1alpha1.Progress) int32 { return p.Trials })
		}},
	{define("experiment_trials_finished", "Finished trials of the experiment, whatever their outcome.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return progress(e, func(p *v1alpha1.Progress) int32 { return p.Finished })
		}},
	{define("experiment_objective_p95_seconds", "The p95 latency of the experiment's objective.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return float64(e.Spec.Objective.P95Milliseconds) / 1000, true
		}},
	{define("experiment_objective_p50_seconds", "The median latency of the experiment's objective, if set.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return float64(e.Spec.Objective.P50Milliseconds) / 1000, e.Spec.Objective.P50Milliseconds > 0
		}},
	{define("experiment_objective_p99_seconds", "The p99 latency of the experiment's objective, if set.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) {
			return float64(e.Spec.Objective.P99Milliseconds) / 1000, e.Spec.Objective.P99Milliseconds > 0
		}},
	{define("experiment_start_timestamp_seconds", "Start time of the experiment's first trial.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) { return unix(e.Status.StartTime) }},
	{define("experiment_completion_timestamp_seconds", "Time when the experiment finished.", ofExperiment),
		func(e *v1alpha1.SizingExperiment) (float64, bool) { return unix(e.Status.CompletionTime) }},
	{define("experiment_estimated_end_timestamp_seconds", "Estimated time when the experiment finishes.", ofExperiment),
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

// experiment adds the state of an experiment.
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
