package verdict

import (
	"math"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/costfit"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// CostDoublingBroken is a reason that only a look at all trials of an experiment can
// give, as SpeedUnknown is where a trial's machine is another than the others', and
// EvidenceMissing where none of them confirms that a variant is Infeasible. It stands
// in the experiment's rows; a trial's own verdict stays its own.
const CostDoublingBroken = "CostDoublingBroken"

const (
	// doublingSuspect and doublingInvalid bound how far a hash's ratio to the reference
	// hash may lie from the line through all costs, as a share of it. Measured on a
	// quiet machine, costs 4 to 12 lie within 0.7 %.
	doublingSuspect, doublingInvalid = 0.05, 0.15
)

// Across holds the trials of an experiment against each other, and returns what
// it found of each trial, in their order. Trials without a result, and Invalid
// ones, neither count nor are judged.
func Across(trials []v1alpha1.SizingTrial) [][]v1alpha1.Reason {
	pools, references := map[string]costfit.Pool{}, speed.Pools(trials)
	for _, pool := range costfit.Of(trials) {
		pools[pool.Name] = pool
	}
	found := make([][]v1alpha1.Reason, len(trials))
	for i := range trials {
		trial := &trials[i]
		if !usable(trial) {
			continue
		}
		name := speed.NodePool(trial.Spec.Variant)
		if pool, fitted := pools[name]; fitted && costfit.Timed(trial) {
			found[i] = append(found[i], costDoublingBroken(trial, pool)...)
		}
		reference, _ := speed.InPool(references, name)
		found[i] = append(found[i], anotherMachine(trial, trials, reference)...)
		found[i] = append(found[i], unconfirmed(trial, trials, reference)...)
	}
	return found
}

// usable tells whether a trial has a result that is not Invalid by itself.
func usable(trial *v1alpha1.SizingTrial) bool {
	return trial.Status.Result != nil && trial.Status.Result.Verdict != v1alpha1.VerdictInvalid
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

// costDoublingBroken: the hash took another multiple of the reference hash than the
// other costs say.
func costDoublingBroken(trial *v1alpha1.SizingTrial, pool costfit.Pool) []v1alpha1.Reason {
	cost, ratio := trial.Spec.Variant.Cost, speed.Ratio(*trial.Status.Calibration)
	off := ratio * pool.Reference / pool.Line.At(cost)
	return across(graded(CostDoublingBroken, math.Abs(off-1), doublingSuspect, doublingInvalid,
		"In repetition %d a hash of cost %d took %.4g times the reference hash that was timed in turns with it, %.3g times what the line a + b·2^cost through all %d costs says (suspect when off by more than %s, invalid by more than %s); the calibration of this cost or of another was disturbed. Measure again on a node where nothing else runs",
		trial.Spec.Repetition, cost, ratio, off, len(pool.Times), percent(doublingSuspect), percent(doublingInvalid)))
}

func across(found []v1alpha1.Reason) []v1alpha1.Reason {
	for i := range found {
		found[i].Message = clip(found[i].Message)
	}
	return found
}
