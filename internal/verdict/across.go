package verdict

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// doublingSuspect and doublingInvalid limit how far a hash's ratio to the reference
	// hash can be from the fit through all costs, as a share of the fit. Measured on a
	// quiet machine, costs 4 to 12 are within 0.7 %.
	doublingSuspect, doublingInvalid = 0.05, 0.15
)

// Across compares the trials of an experiment with each other and returns the reasons for
// each trial, in their order. It ignores trials without a result and Invalid trials.
// ReasonCostDoublingBroken comes only from here, and so do ReasonSpeedUnknown for a trial that
// ran on a different machine and ReasonEvidenceMissing for an infeasible variant that no other
// trial confirms. The trial's own verdict does not change.
func Across(trials []v1beta1.SizingTrial) [][]v1beta1.Reason {
	pools, speeds := map[string]model.Pool{}, speed.Pools(trials)
	for _, pool := range model.Of(trials) {
		pools[pool.Name] = pool
	}
	reasons := make([][]v1beta1.Reason, len(trials))
	for i := range trials {
		trial := &trials[i]
		if !usable(trial) {
			continue
		}
		name := speed.NodePool(trial.Spec.Variant)
		if pool, fitted := pools[name]; fitted && model.Timed(trial) {
			reasons[i] = append(reasons[i], costDoublingBroken(trial, pool)...)
		}
		typical := speed.Typical(speed.InPool(speeds, name))
		reasons[i] = append(reasons[i], anotherMachine(trial, trials, typical)...)
		reasons[i] = append(reasons[i], unconfirmed(trial, trials, typical)...)
	}
	return reasons
}

func usable(trial *v1beta1.SizingTrial) bool {
	return trial.Status.Result != nil && trial.Status.Result.Verdict != v1beta1.VerdictInvalid
}

// Combined returns each trial's verdict including the reasons from Across, in the trials'
// order. It is Pending for a trial without a result.
func Combined(trials []v1beta1.SizingTrial) []v1beta1.Verdict {
	verdicts := make([]v1beta1.Verdict, len(trials))
	for i, reasons := range Across(trials) {
		verdicts[i] = v1beta1.VerdictPending
		if result := trials[i].Status.Result; result != nil {
			verdicts[i] = worst(append([]v1beta1.Reason{{Verdict: result.Verdict}}, reasons...))
		}
	}
	return verdicts
}

// costDoublingBroken checks that the ratio of the hash to the reference hash agrees with the other costs.
func costDoublingBroken(trial *v1beta1.SizingTrial, pool model.Pool) []v1beta1.Reason {
	cost, ratio := trial.Spec.Variant.Hash.Cost(), speed.Ratio(*trial.Status.Calibration)
	off := ratio * pool.Reference / pool.Line.At(cost)
	timed, cause := "hash of", "the calibration of this cost or of another one was disturbed. Measure again on a node where nothing else runs"
	if trial.Spec.Service.Own != nil {
		timed, cause = "login at", "a calibration was disturbed, or the service was not warm yet. Set a longer load.warmupSeconds"
	}
	return graded(v1beta1.ReasonCostDoublingBroken, math.Abs(off-1), doublingSuspect, doublingInvalid,
		"In repetition %d, a %s cost %d took %s times as long as the reference hash, which is %s times what the fit a + b·2^cost through all %d costs gives (suspect if off by more than %s, invalid by more than %s): %s",
		trial.Spec.Repetition, timed, cost, units.Ratio(ratio), units.Ratio(off), len(pool.Times), percent(doublingSuspect), percent(doublingInvalid), cause)
}

// anotherMachine finds a CPU that was faster or slower than one machine's speed varies around the typical hash
// time of the node pool, in microseconds at cost 8, and a CPU model that most trials there don't have. Of two
// trials with different models, both get a reason.
func anotherMachine(trial *v1beta1.SizingTrial, trials []v1beta1.SizingTrial, typical float64) []v1beta1.Reason {
	slower := 1.0
	if windows := speed.OfTrial(trial); len(windows) > 0 && typical > 0 {
		slower = speed.Quantile(windows, 0.5) / typical
	}
	models, own, known := modelsOnPool(trial, trials), cpuModelOf(trial), 0
	for _, count := range models {
		known += count
	}
	switch {
	case slower > speed.Slowest || slower < speed.Fastest:
		return suspectSpeed(
			"In repetition %d, a hash took %s times as long as the median of the experiment (suspect outside %s to %s): the trials ran on different machines (%s). List the kinds of machine in matrix.nodePools",
			trial.Spec.Repetition, units.Ratio(slower), units.Ratio(speed.Fastest), units.Ratio(speed.Slowest), strings.Join(cpuModels(trials), "; "))
	case own != "" && 2*models[own] <= known:
		return suspectSpeed(
			"Repetition %d ran on %s, which is not the CPU model of most trials on its node pool (%s): numbers from different CPU models cannot be compared. List the kinds of machine in matrix.nodePools, or measure again",
			trial.Spec.Repetition, own, counted(models))
	}
	return nil
}

// modelsOnPool returns the number of usable trials per known CPU model on the trial's node pool.
func modelsOnPool(trial *v1beta1.SizingTrial, trials []v1beta1.SizingTrial) map[string]int {
	models, pool := map[string]int{}, speed.NodePool(trial.Spec.Variant)
	for i := range trials {
		if model := cpuModelOf(&trials[i]); model != "" && usable(&trials[i]) && speed.NodePool(trials[i].Spec.Variant) == pool {
			models[model]++
		}
	}
	return models
}

func cpuModelOf(trial *v1beta1.SizingTrial) string {
	if trial.Status.Calibration == nil {
		return ""
	}
	return trial.Status.Calibration.CPUModel
}

// counted returns a text such as "2 on Model CPU; 1 on Old CPU".
func counted(models map[string]int) string {
	var counts []string
	for _, model := range slices.Sorted(maps.Keys(models)) {
		counts = append(counts, fmt.Sprintf("%d on %s", models[model], model))
	}
	return strings.Join(counts, "; ")
}

func cpuModels(trials []v1beta1.SizingTrial) []string {
	var models []string
	for i := range trials {
		if cal := trials[i].Status.Calibration; cal != nil && !slices.Contains(models, cpuModel(*cal)) {
			models = append(models, cpuModel(*cal))
		}
	}
	slices.Sort(models)
	return models
}
