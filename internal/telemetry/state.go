package telemetry

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// State is what the series are computed from.
type State struct {
	// Experiments and Trials of all namespaces that the operator looks at. They
	// are only read: they may be a cache's own.
	Experiments []v1alpha1.SizingExperiment
	Trials      []v1alpha1.SizingTrial
	// MaxExperiments is how many experiments are told one by one.
	MaxExperiments int
	// MaxConcurrent is how many trials may be under load at one time.
	MaxConcurrent int
	// StartTimeout is how long an attempt may wait for what it can't change.
	StartTimeout time.Duration
}

// Of gives every sample of a state: those of the operator, then experiment by
// experiment, as [Told] orders them.
func Of(state State) []Sample {
	turns := queue.Decide(state.Experiments, state.Trials, state.MaxConcurrent)
	told, left := Told(state.Experiments, state.MaxExperiments)
	g := &gathering{}
	g.operator(state, turns, left)
	trials := trialsOf(state.Trials)
	for _, experiment := range told {
		g.experiment(experiment, turns)
		g.recommendation(experiment)
		g.variants(experiment, trials[experiment.UID])
		g.predictions(experiment)
		g.speeds(experiment)
		g.hashTimes(experiment)
		g.trials(experiment, trials[experiment.UID], state.StartTimeout)
	}
	return g.samples
}

// trialsOf sorts trials by the UID of the experiment that planned them. A trial
// that the operator refused belongs to nobody: only planned ones are bounded in
// number.
func trialsOf(trials []v1alpha1.SizingTrial) map[types.UID][]*v1alpha1.SizingTrial {
	of := map[types.UID][]*v1alpha1.SizingTrial{}
	for i := range trials {
		if owner := metav1.GetControllerOfNoCopy(&trials[i]); owner != nil && !refused(&trials[i]) {
			of[owner.UID] = append(of[owner.UID], &trials[i])
		}
	}
	return of
}

// refused tells whether a trial was never tried: no living experiment plans it.
func refused(trial *v1alpha1.SizingTrial) bool {
	reason := trial.Status.Reason
	return reason == v1alpha1.ReasonNotPlanned || reason == v1alpha1.ReasonExperimentGone
}
