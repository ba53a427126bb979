package telemetry

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

var (
	experiments = define("experiments", "SizingExperiments in the cluster, by phase.", nil, "phase")
	trials      = define("trials", "SizingTrials in the cluster, by phase.", nil, "phase")
	queueLength = define("queue_length", "Experiments that are waiting for their turn.", nil)
	failedInRow = define("trials_failed_in_row",
		"Trials that failed in a row, in all namespaces, since the last one that was measured.", nil)
	leftOut = define("experiments_left_out",
		"Experiments without their own series, because there are more than --metrics-max-experiments.", nil)
)

// The phases in the order of their samples.
var (
	experimentPhases = []v1beta1.ExperimentPhase{
		v1beta1.ExperimentPending, v1beta1.ExperimentQueued, v1beta1.ExperimentRunning, v1beta1.ExperimentSuspended,
		v1beta1.ExperimentSucceeded, v1beta1.ExperimentFailed, v1beta1.ExperimentCancelled,
	}
	trialPhases = []v1beta1.TrialPhase{
		v1beta1.TrialPending, v1beta1.TrialRunning, v1beta1.TrialSuspended,
		v1beta1.TrialSucceeded, v1beta1.TrialFailed, v1beta1.TrialCancelled,
	}
)

// operator adds the counts over all experiments. A phase without experiments has the value
// 0.
func (g *gathering) operator(state State, left int) {
	inPhase := map[v1beta1.ExperimentPhase]int{}
	for i := range state.Experiments {
		inPhase[phaseOf(&state.Experiments[i])]++
	}
	for _, phase := range experimentPhases {
		g.add(experiments, float64(inPhase[phase]), string(phase))
	}
	trialsIn := map[v1beta1.TrialPhase]int{}
	for i := range state.Trials {
		trialsIn[cmp.Or(state.Trials[i].Status.Phase, v1beta1.TrialPending)]++
	}
	for _, phase := range trialPhases {
		g.add(trials, float64(trialsIn[phase]), string(phase))
	}
	g.add(queueLength, float64(len(state.Positions)))
	g.add(failedInRow, float64(FailedInRow(state.Trials)))
	g.add(leftOut, float64(left))
}

// phaseOf returns the phase of an experiment, which is Pending before the first reconcile.
func phaseOf(e *v1beta1.SizingExperiment) v1beta1.ExperimentPhase {
	return cmp.Or(e.Status.Phase, v1beta1.ExperimentPending)
}

// FailedInRow returns how many trials have failed since the last success. Cancelled trials
// and those that were refused before an attempt do not count. If trials ended in the same
// second, a success counts as the later one, so that there is no false alert.
func FailedInRow(trials []v1beta1.SizingTrial) int {
	var success int64
	var failures []int64
	for i := range trials {
		status := &trials[i].Status
		ended, known := unix(status.CompletionTime)
		switch {
		case !known || refused(&trials[i]):
		case status.Phase == v1beta1.TrialSucceeded:
			success = max(success, int64(ended))
		case status.Phase == v1beta1.TrialFailed:
			failures = append(failures, int64(ended))
		}
	}
	return len(slices.DeleteFunc(failures, func(ended int64) bool { return ended <= success }))
}
