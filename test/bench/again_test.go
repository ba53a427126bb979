//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// TestAgain measures one variant twice, interleaved. The comparison must report the difference
// as random.
func TestAgain(t *testing.T) {
	w, r := onCluster(t), begin(t, "again")
	for _, seed := range pick([]int64{1, 2, 3}, []int64{1}) {
		e := w.experiment(t, fmt.Sprintf("again-%d", seed), "again", seeded(seed), repetitions(pick[int32](5, 2)))
		trials := w.measure(t, e)
		capacities := capacitiesOf(trials)
		near := figures.Near(capacities, figures.Median(capacities), 0.05)
		r.Add(fmt.Sprintf("share of capacities within ±5 %% of their median, seed %d", seed), float64(near)/float64(len(trials)),
			report.AtLeast(0.9), fmt.Sprintf("%d of %d; %s", near, len(trials), verdicts(trials)))
		addChances(r, e, seed)
	}
	conclude(t, r)
}

// addChances adds the status's comparison of the pair.
func addChances(r *report.Report, e *v1alpha1.SizingExperiment, seed int64) {
	var comparison v1alpha1.Comparison
	if floor := e.Status.NoiseFloor; floor != nil && floor.Comparison != nil {
		comparison = *floor.Comparison
	}
	for _, number := range []struct {
		name string
		of   *v1alpha1.Difference
	}{{"maximum", comparison.MaxThroughput}, {"capacity", comparison.Capacity}, {"p95", comparison.P95}} {
		chance, notes := math.NaN(), "no comparison"
		if number.of != nil && number.of.ChancePerMille != nil {
			chance, notes = float64(*number.of.ChancePerMille)/1000, fmt.Sprintf("medians differ by %d ‰", number.of.PerMille)
		}
		r.Add(fmt.Sprintf("p of %s, A against A, seed %d", number.name, seed), chance, report.AtLeast(0.011), notes)
	}
}

// TestMore compares two limits, one 10 % higher than the other. The comparison must not report
// the difference as random. Two repetitions of each, as in the short run, can't show that by
// their order, but they can show that the medians differ by 10 %.
func TestMore(t *testing.T) {
	w, r := onCluster(t), begin(t, "more")
	e := w.experiment(t, "more", "more", repetitions(pick[int32](5, 2)))
	trials := w.measure(t, e)
	chance, ratio := math.NaN(), math.NaN()
	for _, row := range e.Status.Results {
		if row.Variant != e.Spec.Baseline && row.Comparison != nil && row.Comparison.MaxThroughput != nil && row.Comparison.MaxThroughput.ChancePerMille != nil {
			difference := row.Comparison.MaxThroughput
			chance, ratio = float64(*difference.ChancePerMille)/1000, 1+float64(difference.PerMille)/1000
		}
	}
	r.Add("maximum with 10 % more CPU ÷ without, medians", ratio, report.Between(1.07, 1.13), verdicts(trials))
	r.Add("p of that difference", chance, pick(report.AtMost(0.01), report.Goal{}), "")
	conclude(t, r)
}

func capacitiesOf(trials []v1alpha1.SizingTrial) []float64 {
	var capacities []float64
	for _, trial := range trials {
		if trial.Status.Result != nil && trial.Status.Result.CapacityMilliPerSecond != nil {
			capacities = append(capacities, float64(*trial.Status.Result.CapacityMilliPerSecond)/1000)
		}
	}
	return capacities
}
