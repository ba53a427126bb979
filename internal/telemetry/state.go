package telemetry

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// State is what the series are computed from.
type State struct {
	// Experiments and Trials of all namespaces that the operator watches. They are not
	// changed, since they can be the objects of a cache.
	Experiments []v1beta1.SizingExperiment
	Trials      []v1beta1.SizingTrial
	// Now is the time of the scrape.
	Now time.Time
	// MaxExperiments is the maximum number of experiments with their own series.
	MaxExperiments int
	// Positions are the positions of the experiments that wait for their first turn.
	Positions map[types.UID]int32
	// StartTimeout is how long an attempt waits for what it can't influence.
	StartTimeout time.Duration
}

// Of returns all samples of a state: those of the operator, followed by those of each
// experiment in the order of [Select].
func Of(state State) []Sample {
	selected, left := Select(state.Experiments, state.MaxExperiments)
	g := &gathering{}
	g.operator(state, left)
	trials := trialsOf(state.Trials)
	for _, experiment := range selected {
		g.experiment(experiment, state.Positions)
		g.recommendation(experiment)
		g.variants(experiment, trials[experiment.UID])
		g.predictions(experiment)
		g.speeds(experiment)
		g.hashTimes(experiment)
		g.trials(experiment, trials[experiment.UID], state.StartTimeout)
	}
	return g.samples
}

// trialsOf returns the trials by the UID of their experiment. Trials that the operator
// refused are left out, since their number is not limited.
func trialsOf(trials []v1beta1.SizingTrial) map[types.UID][]*v1beta1.SizingTrial {
	byExperiment := map[types.UID][]*v1beta1.SizingTrial{}
	for i := range trials {
		if owner := metav1.GetControllerOfNoCopy(&trials[i]); owner != nil && !refused(&trials[i]) {
			byExperiment[owner.UID] = append(byExperiment[owner.UID], &trials[i])
		}
	}
	return byExperiment
}

// refused reports whether a trial was refused because no existing experiment plans it.
func refused(trial *v1beta1.SizingTrial) bool {
	reason := trial.Status.Reason
	return reason == v1beta1.ReasonNotPlanned || reason == v1beta1.ReasonExperimentGone
}

// Select returns the experiments with their own series, at most so many, and the number of
// those that are left out. Started experiments come first, in the order of their start;
// then waiting ones, the oldest first; then finished ones, the last one first.
func Select(experiments []v1beta1.SizingExperiment, most int) (selected []*v1beta1.SizingExperiment, left int) {
	for i := range experiments {
		selected = append(selected, &experiments[i])
	}
	slices.SortFunc(selected, func(a, b *v1beta1.SizingExperiment) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(moment(a), moment(b)), cmp.Compare(a.UID, b.UID))
	})
	if len(selected) <= most {
		return selected, 0
	}
	return selected[:most], len(selected) - most
}

func rank(e *v1beta1.SizingExperiment) int {
	switch {
	case e.Status.Phase.Finished():
		return 2
	case e.Status.StartTime != nil:
		return 0
	default:
		return 1
	}
}

// moment orders experiments of the same rank.
func moment(e *v1beta1.SizingExperiment) int64 {
	switch {
	case rank(e) == 0:
		return e.Status.StartTime.Unix()
	case rank(e) == 2 && e.Status.CompletionTime != nil:
		return -e.Status.CompletionTime.Unix()
	default:
		return e.CreationTimestamp.Unix()
	}
}
