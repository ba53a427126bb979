package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// anotherMachine checks that the trial ran on the same kind of machine as the others. It
// finds a CPU that was faster or slower than one machine's speed varies, and a CPU model
// that is not the model of most trials on the node pool. With two trials, the reference is
// between the two and neither model has a majority, so both trials get a reason.
func anotherMachine(trial *v1alpha1.SizingTrial, trials []v1alpha1.SizingTrial, reference speed.Reference) []v1alpha1.Reason {
	slower := 1.0
	if windows := speed.OfTrial(trial); len(windows) > 0 && reference.Micros > 0 {
		slower = speed.Quantile(windows, 0.5) / reference.Micros
	}
	models, own, known := modelsOnPool(trial, trials), cpuModelOf(trial), 0
	for _, count := range models {
		known += count
	}
	switch {
	case slower > speed.Slowest || slower < speed.Fastest:
		return across([]v1alpha1.Reason{suspectSpeed(
			"In repetition %d, a hash took %.3g times as long as the median of the experiment (suspect outside %g to %g): the trials ran on different machines (%s). List the kinds of machine in matrix.nodePools",
			trial.Spec.Repetition, slower, speed.Fastest, speed.Slowest, strings.Join(cpuModels(trials), "; "))})
	case own != "" && 2*models[own] <= known:
		return across([]v1alpha1.Reason{suspectSpeed(
			"Repetition %d ran on %s, which is not the CPU model of most trials on its node pool (%s): numbers from different CPU models cannot be compared. List the kinds of machine in matrix.nodePools, or measure again",
			trial.Spec.Repetition, own, counted(models))})
	}
	return nil
}

// modelsOnPool returns the number of usable trials per CPU model on the trial's node
// pool, including the trial itself. It leaves out trials whose model is unknown.
func modelsOnPool(trial *v1alpha1.SizingTrial, trials []v1alpha1.SizingTrial) map[string]int {
	models, pool := map[string]int{}, speed.NodePool(trial.Spec.Variant)
	for i := range trials {
		if model := cpuModelOf(&trials[i]); model != "" && usable(&trials[i]) && speed.NodePool(trials[i].Spec.Variant) == pool {
			models[model]++
		}
	}
	return models
}

// cpuModelOf returns the CPU model that a trial ran on, or "" if it is unknown.
func cpuModelOf(trial *v1alpha1.SizingTrial) string {
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

// cpuModels returns the CPU models that an experiment ran on, sorted.
func cpuModels(trials []v1alpha1.SizingTrial) []string {
	var models []string
	for i := range trials {
		if cal := trials[i].Status.Calibration; cal != nil && !slices.Contains(models, cpuModel(*cal)) {
			models = append(models, cpuModel(*cal))
		}
	}
	slices.Sort(models)
	return models
}
