package results

import (
	"cmp"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// HashTimes returns the time of each hash on each node pool, sorted by pool, then the costs without a name from
// low to high, then the others by name. It is the mean over all windows of the pool, whatever was
// hashed in them, times the median ratio of the hash to the reference hash: the CPU's speed varies far more
// than the ratio does. Ratios of Invalid trials and of times that were scaled up from a lower cost do not count.
func HashTimes(trials []v1beta1.SizingTrial) []v1beta1.HashTime {
	type cell struct {
		pool, name string
		cost       int32
	}
	cells, windows := map[cell][]*v1beta1.SizingTrial{}, map[string][][]speed.Window{}
	for i, result := range together(trials) {
		timing := trials[i].Status.Calibration
		if result == nil || timing == nil || speed.Ratio(*timing) <= 0 {
			continue
		}
		variant := trials[i].Spec.Variant
		pool := speed.NodePool(variant)
		windows[pool] = append(windows[pool], windowsOf(&trials[i]))
		if result.Verdict == v1beta1.VerdictInvalid || timing.ScaledFromCost != nil {
			continue
		}
		timed := cell{pool, variant.Hash.Name, variant.Hash.Cost()}
		cells[timed] = append(cells[timed], &trials[i])
	}
	var times []v1beta1.HashTime
	for at, timed := range cells {
		times = append(times, hashTime(v1beta1.HashTime{NodePool: at.pool, Hash: timed[0].Spec.Variant.Hash}, windows[at.pool], timed))
	}
	slices.SortFunc(times, func(a, b v1beta1.HashTime) int {
		return cmp.Or(cmp.Compare(a.NodePool, b.NodePool), cmp.Compare(a.Hash.Name, b.Hash.Name), cmp.Compare(a.Hash.Cost(), b.Hash.Cost()))
	})
	return times
}

func windowsOf(trial *v1beta1.SizingTrial) []speed.Window {
	if windows := speed.OfTrial(trial); len(windows) > 0 {
		return windows
	}
	return speed.OfCalibration(*trial.Status.Calibration)
}

// hashTime fills a cell of the table from its trials and the windows of its node pool.
func hashTime(cell v1beta1.HashTime, windows [][]speed.Window, timed []*v1beta1.SizingTrial) v1beta1.HashTime {
	median := *measurement.UpperMedian(timed, func(a, b *v1beta1.SizingTrial) int {
		return cmp.Or(cmp.Compare(speed.Ratio(*a.Status.Calibration), speed.Ratio(*b.Status.Calibration)),
			cmp.Compare(a.Spec.Sequence, b.Spec.Sequence))
	}).Status.Calibration
	ratio, all := speed.Ratio(median), slices.Concat(windows...)
	mean, halfWidth := speed.Mean(windows, 0.999)
	// The ratio has its own error. With a single batch, halfWidth is 0 because the scatter
	// is unknown.
	own := float64(median.RatioErrorPerMillion) / 1e6 * mean
	if halfWidth == 0 {
		own = math.Hypot(own, float64(median.ErrorMicroseconds))
	}
	micros := func(reference float64) int64 { return max(1, int64(math.Round(reference*ratio))) }
	cell.CPUModel, cell.Samples, cell.Trials = median.CPUModel, int32(len(all)), int32(len(timed))
	cell.HashMicroseconds, cell.ErrorMicroseconds = micros(mean), int64(math.Ceil(math.Hypot(halfWidth*ratio, own)))
	cell.LowMicroseconds, cell.HighMicroseconds = micros(speed.Quantile(all, 0.1)), micros(speed.Quantile(all, 0.9))
	return cell
}
