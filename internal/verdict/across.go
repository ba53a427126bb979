package verdict

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/costfit"
)

// The reasons that only a look at all trials of an experiment can give. They
// stand in the experiment's rows; a trial's own verdict stays its own.
const (
	CostDoublingBroken = "CostDoublingBroken"
	ReferenceDrift     = "ReferenceDrift"
)

const (
	// doublingSuspect and doublingInvalid bound how far a hash time may lie from
	// the line through all costs, as a share of it. Measured on a quiet machine,
	// costs 4 to 12 lie within 0.7 %, and CPU time scatters by 1 % under a quota.
	doublingSuspect, doublingInvalid = 0.05, 0.15

	// driftSuspect and driftInvalid bound the same of the reference hash against
	// the median of all trials, which should be one time on one kind of node.
	driftSuspect, driftInvalid = 0.05, 0.15

	// driftTrials is the least number of trials with a median that one of them
	// can lie off: of two, both lie equally far from what is between them.
	driftTrials = 3
)

// Across holds the trials of an experiment against each other, and returns what
// it found of each trial, in their order. Trials without a result, and Invalid
// ones, neither count nor are judged.
func Across(trials []v1alpha1.SizingTrial) [][]v1alpha1.Reason {
	pools, references := map[string]costfit.Pool{}, referenceMedians(trials)
	for _, pool := range costfit.Of(trials) {
		pools[pool.Name] = pool
	}
	found := make([][]v1alpha1.Reason, len(trials))
	for i := range trials {
		trial := &trials[i]
		if pool, fitted := pools[costfit.NodePool(trial)]; fitted && costfit.Timed(trial) {
			found[i] = append(found[i], costDoublingBroken(trial, pool)...)
		}
		if median, known := references[costfit.NodePool(trial)]; known && hasReference(trial) {
			found[i] = append(found[i], referenceDrift(trial, median)...)
		}
	}
	return found
}

// Together is each trial's verdict with what Across found of it, in the trials'
// order; Pending of a trial without a result.
func Together(trials []v1alpha1.SizingTrial) []v1alpha1.Verdict {
	verdicts := make([]v1alpha1.Verdict, len(trials))
	for i, found := range Across(trials) {
		verdicts[i] = v1alpha1.VerdictPending
		if result := trials[i].Status.Result; result != nil {
			verdicts[i] = worst(append([]v1alpha1.Reason{{Verdict: result.Verdict}}, found...))
		}
	}
	return verdicts
}

// costDoublingBroken: the hash took another time than the other costs say.
func costDoublingBroken(trial *v1alpha1.SizingTrial, pool costfit.Pool) []v1alpha1.Reason {
	took := microseconds(trial.Status.Calibration.HashMicroseconds)
	ratio := took.Seconds() / pool.Line.At(trial.Spec.Variant.Cost)
	return across(graded(CostDoublingBroken, math.Abs(ratio-1), doublingSuspect, doublingInvalid,
		"In repetition %d a hash of cost %d took %s, %.3g times what the line a + b·2^cost through all %d costs says (suspect when off by more than %s, invalid by more than %s); the calibration of this cost or of another was disturbed. Measure again on a quiet node",
		trial.Spec.Repetition, trial.Spec.Variant.Cost, took, ratio, len(pool.Times), percent(doublingSuspect), percent(doublingInvalid)))
}

// referenceDrift: the CPU was faster or slower than in the other trials.
func referenceDrift(trial *v1alpha1.SizingTrial, median time.Duration) []v1alpha1.Reason {
	took := microseconds(trial.Status.Calibration.ReferenceMicroseconds)
	ratio := took.Seconds() / median.Seconds()
	return across(graded(ReferenceDrift, math.Abs(ratio-1), driftSuspect, driftInvalid,
		"Before repetition %d the reference hash took %s, %.3g times the %s that is the median of the experiment's trials (suspect when off by more than %s, invalid by more than %s); the CPU's speed changed. Measure again on quiet nodes of one kind, or name their kinds in matrix.nodePools",
		trial.Spec.Repetition, took, ratio, median, percent(driftSuspect), percent(driftInvalid)))
}

func across(found []v1alpha1.Reason) []v1alpha1.Reason {
	for i := range found {
		found[i].Message = clip(found[i].Message)
	}
	return found
}

// referenceMedians is the median time of the reference hash on each node pool
// where enough trials have one.
func referenceMedians(trials []v1alpha1.SizingTrial) map[string]time.Duration {
	seconds := map[string][]float64{}
	for i := range trials {
		if trial := &trials[i]; hasReference(trial) {
			took := microseconds(trial.Status.Calibration.ReferenceMicroseconds)
			seconds[costfit.NodePool(trial)] = append(seconds[costfit.NodePool(trial)], took.Seconds())
		}
	}
	medians := map[string]time.Duration{}
	for pool, all := range seconds {
		if len(all) >= driftTrials {
			median := calibration.Summarise(all).Median
			medians[pool] = time.Duration(median * float64(time.Second)).Round(time.Microsecond)
		}
	}
	return medians
}

func hasReference(trial *v1alpha1.SizingTrial) bool {
	result, timing := trial.Status.Result, trial.Status.Calibration
	return result != nil && result.Verdict != v1alpha1.VerdictInvalid && timing != nil && timing.ReferenceMicroseconds > 0
}
