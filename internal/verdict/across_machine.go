package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// anotherMachine: the CPU was so much faster or slower than the reference that it is
// no drift of one machine, or it is of a model that no majority of the trials on the
// node pool ran on. The reference of two trials lies between the two, and nobody can
// tell which of their models is the odd one: both are told.
func anotherMachine(trial *v1alpha1.SizingTrial, trials []v1alpha1.SizingTrial, reference speed.Reference) []v1alpha1.Reason {
	slower := 1.0
	if windows := speed.OfTrial(trial); len(windows) > 0 && reference.Micros > 0 {
		slower = speed.Quantile(windows, 0.5) / reference.Micros
	}
	models, own, known := modelsBeside(trial, trials), cpuModelOf(trial), 0
	for _, count := range models {
		known += count
	}
	switch {
	case slower > speed.Slowest || slower < speed.Fastest:
		return across([]v1alpha1.Reason{suspectSpeed(
			"In repetition %d a hash took %.3g times as long as the median of the experiment (suspect outside %g to %g): the experiment ran on different machines (%s). Name their kinds in matrix.nodePools",
			trial.Spec.Repetition, slower, speed.Fastest, speed.Slowest, strings.Join(cpuModels(trials), "; "))})
	case own != "" && 2*models[own] <= known:
		return across([]v1alpha1.Reason{suspectSpeed(
			"Repetition %d ran on %s, which no majority of the trials on its node pool did (%s): numbers of different models of CPU do not compare. Name the kinds of machine in matrix.nodePools, or measure again",
			trial.Spec.Repetition, own, counted(models))})
	}
	return nil
}

// modelsBeside counts the trials on a trial's node pool, itself included, that ran on
// each model of CPU, as far as that is known.
func modelsBeside(trial *v1alpha1.SizingTrial, trials []v1alpha1.SizingTrial) map[string]int {
	models, pool := map[string]int{}, speed.NodePool(trial.Spec.Variant)
	for i := range trials {
		if model := cpuModelOf(&trials[i]); model != "" && usable(&trials[i]) && speed.NodePool(trials[i].Spec.Variant) == pool {
			models[model]++
		}
	}
	return models
}

// cpuModelOf is the model of CPU that a trial ran on; empty where it is not known.
func cpuModelOf(trial *v1alpha1.SizingTrial) string {
	if trial.Status.Calibration == nil {
		return ""
	}
	return trial.Status.Calibration.CPUModel
}

// counted reads 2 on Model CPU; 1 on Old CPU.
func counted(models map[string]int) string {
	var told []string
	for _, model := range slices.Sorted(maps.Keys(models)) {
		told = append(told, fmt.Sprintf("%d on %s", models[model], model))
	}
	return strings.Join(told, "; ")
}

// cpuModels are the models of CPU that an experiment ran on, sorted.
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
