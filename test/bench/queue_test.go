//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// TestQueue runs the quickstart alone, and then again while many experiments wait in another
// namespace, and compares the numbers at the reference speed. The others take turns with the
// quickstart, so each of its trials follows one of theirs.
func TestQueue(t *testing.T) {
	w, r := onCluster(t), begin(t, "queue")
	alone := w.quickstart(t, 1)
	others, waiting := onCluster(t), pick(400, 40)
	for i := range waiting {
		must(t, others.client.Create(t.Context(), others.experiment(t, fmt.Sprintf("waiting-%d", i), "probe")))
	}
	say("%d experiments wait", waiting)
	crowded := w.quickstart(t, 2)
	r.Add("experiments that still wait at the end", float64(others.unfinished(t)), report.AtLeast(1), fmt.Sprintf("of %d", waiting))
	addMaximaCompared(r, alone, crowded)
	ratios := capacityRatios(alone, crowded)
	r.Add("capacity with others ÷ alone, mean of all variants", mean(ratios), report.Between(0.98, 1.02), fmt.Sprintf("%.3f; at one reference speed", ratios))
	conclude(t, r)
}

// unfinished returns how many experiments of the namespace have not ended.
func (w testNamespace) unfinished(t *testing.T) (n int) {
	t.Helper()
	list := &v1alpha1.SizingExperimentList{}
	must(t, w.client.List(t.Context(), list, client.InNamespace(w.namespace)))
	for i := range list.Items {
		if !list.Items[i].Status.Phase.Finished() {
			n++
		}
	}
	return n
}

// addMaximaCompared adds, for each variant, the ratio of its maxima in the two runs. Both are
// converted to the same reference speed.
func addMaximaCompared(r *report.Report, alone, crowded quickstartRun) {
	common := math.NaN()
	if reference := alone.reference(); reference != nil {
		common = float64(reference.HashMicrosecondsAtCost8)
	}
	maxima := map[string]float64{}
	for _, trial := range crowded.trials {
		if trial.Spec.Role != v1alpha1.RoleVerification {
			maxima[trial.Spec.Variant.Name] = maximumOf(crowded, trial, common).atReference
		}
	}
	for _, trial := range alone.trials {
		if trial.Spec.Role == v1alpha1.RoleVerification {
			continue
		}
		ratio, name := math.NaN(), trial.Spec.Variant.Name
		if crowded, measured := maxima[name]; measured {
			ratio = crowded / maximumOf(alone, trial, common).atReference
		}
		r.Add("maximum with others ÷ alone, "+name, ratio, report.Between(0.98, 1.02), "at one reference speed")
	}
}

// capacityRatios returns, for each variant, the capacity in the second run ÷ that in the first,
// converted to one reference speed.
func capacityRatios(alone, crowded quickstartRun) []float64 {
	faster := math.NaN()
	if a, b := alone.reference(), crowded.reference(); a != nil && b != nil {
		faster = float64(b.HashMicrosecondsAtCost8) / float64(a.HashMicrosecondsAtCost8)
	}
	var ratios []float64
	for _, row := range alone.experiment.Status.Results {
		ratio := math.NaN() // a capacity that only one run has is a difference
		if other := crowded.row(row.Variant); other != nil && other.CapacityMilliPerSecond != nil && row.CapacityMilliPerSecond != nil {
			ratio = faster * float64(*other.CapacityMilliPerSecond) / float64(*row.CapacityMilliPerSecond)
		}
		ratios = append(ratios, ratio)
	}
	return ratios
}

// mean returns the mean of some values. Unlike a median it is NaN if one of them is.
func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}
