//go:build bench

package bench

import (
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// TestBound holds the maximum against what the CPU could serve, by the hash
// times right before and right after it: trials of one variant follow each
// other, and the next one's calibration is the one right after.
func TestBound(t *testing.T) {
	w, r := onCluster(t), begin(t, "bound")
	for _, cell := range []struct {
		name, limit string
		mode        v1alpha1.ConcurrencyMode
		goal        report.Goal
	}{
		{"pool-1", "1", v1alpha1.ConcurrencyWorkerPool, report.AtLeast(0.97)},
		{"unbounded-1", "1", v1alpha1.ConcurrencyUnbounded, report.AtLeast(0.95)},
		{"pool-500m", "500m", v1alpha1.ConcurrencyWorkerPool, report.AtLeast(0.95)},
	} {
		// One more than is counted: the last has no calibration after it.
		trials := w.measure(t, w.experiment(t, "bound-"+cell.name, "bound",
			limits(cell.limit), concurrency(cell.mode), repetitions(pick[int32](6, 2))))
		r.Add("maximum ÷ bound, "+cell.name, figures.Median(ofBound(trials)), cell.goal, verdicts(trials))
	}
	conclude(t, r)
}

// ofBound are the maxima of all trials but the last, each divided by the bound
// at the mean of the hash times before and after it.
func ofBound(trials []v1alpha1.SizingTrial) []float64 {
	var ratios []float64
	for i := range len(trials) - 1 {
		result, after := trials[i].Status.Result, trials[i+1].Status.Calibration
		if result == nil || after == nil || result.MaxThroughputMilliPerSecond == nil || result.BoundMilliPerSecond == nil {
			continue
		}
		before := float64(result.Calibration.HashMicroseconds)
		drift := (before + float64(after.HashMicroseconds)) / 2 / before
		ratios = append(ratios, float64(*result.MaxThroughputMilliPerSecond)/float64(*result.BoundMilliPerSecond)*drift)
	}
	return ratios
}
