//go:build bench

package bench

import (
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/tools/bench/figures"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

// TestBound compares the maximum with the CPU-bound rate, both at the reference speed.
func TestBound(t *testing.T) {
	w, r := onCluster(t), begin(t, "bound")
	for _, cell := range []struct {
		name, limit string
		mode        v1beta1.ConcurrencyMode
		goal        report.Goal
	}{
		{"pool-1", "1", v1beta1.ConcurrencyWorkerPool, report.AtLeast(0.97)},
		{"unbounded-1", "1", v1beta1.ConcurrencyUnbounded, report.AtLeast(0.95)},
		{"pool-500m", "500m", v1beta1.ConcurrencyWorkerPool, report.AtLeast(0.95)},
	} {
		trials := w.measure(t, w.experiment(t, "bound-"+cell.name, "bound",
			limits(cell.limit), concurrency(cell.mode), repetitions(pick[int32](5, 2))))
		r.Add("maximum ÷ bound, "+cell.name, figures.Median(ofBound(trials)), cell.goal, verdicts(trials))
	}
	conclude(t, r)
}

// ofBound returns the maxima of all trials, each divided by the bound, both at the reference
// speed.
func ofBound(trials []v1beta1.SizingTrial) []float64 {
	var ratios []float64
	for i := range trials {
		result := trials[i].Status.Result
		if result != nil && result.MaxThroughputMilliPerSecond != nil && result.BoundMilliPerSecond != nil {
			ratios = append(ratios, float64(*result.MaxThroughputMilliPerSecond)/float64(*result.BoundMilliPerSecond))
		}
	}
	return ratios
}
