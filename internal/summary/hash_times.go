package summary

import (
	"cmp"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// timedHash is a cell of the table: what was hashed, and where.
type timedHash struct {
	pool, control string
	cost          int32
}

// HashTimes says how long a hash takes, for each cost and each control on each
// node pool: pools by name, in each the costs from low to high and then the
// controls by name. CPU time depends on neither the CPU limit nor the kind of
// concurrency, so the trials of all of them count. Those do not that are Invalid,
// by their own verdict or by what all trials show together, nor a cost that was
// scaled up from a lower one, which nobody timed.
//
// A time is the mean over all windows of the node pool, whatever was hashed in
// them, times the median ratio of the cell's hash to the reference hash: the CPU's
// speed varies over an experiment far more than the ratio does.
func HashTimes(trials []v1alpha1.SizingTrial) []v1alpha1.HashTime {
	cells, windows := map[timedHash][]*v1alpha1.SizingTrial{}, map[string][][]speed.Window{}
	for i, result := range together(trials) {
		timing := trials[i].Status.Calibration
		if result == nil || timing == nil || speed.Ratio(*timing) <= 0 {
			continue
		}
		variant := trials[i].Spec.Variant
		pool := speed.NodePool(variant)
		windows[pool] = append(windows[pool], windowsOf(&trials[i]))
		if result.Verdict == v1alpha1.VerdictInvalid || timing.ScaledFromCost != nil {
			continue
		}
		cell := timedHash{pool: pool, control: variant.Control, cost: variant.Cost}
		cells[cell] = append(cells[cell], &trials[i])
	}
	var times []v1alpha1.HashTime
	for cell, timed := range cells {
		times = append(times, cell.over(windows[cell.pool], timed))
	}
	slices.SortFunc(times, func(a, b v1alpha1.HashTime) int {
		return cmp.Or(cmp.Compare(a.NodePool, b.NodePool), cmp.Compare(a.Control, b.Control), cmp.Compare(a.Cost, b.Cost))
	})
	return times
}

// windowsOf a trial, or of its calibration alone where no load was driven.
func windowsOf(trial *v1alpha1.SizingTrial) []speed.Window {
	if windows := speed.OfTrial(trial); len(windows) > 0 {
		return windows
	}
	return speed.OfCalibration(*trial.Status.Calibration)
}

// over is the cell of one trial or more, timed over windows. Equal ratios stand in
// the order of the plan, whatever the order that they are listed in.
func (h timedHash) over(windows [][]speed.Window, timed []*v1alpha1.SizingTrial) v1alpha1.HashTime {
	slices.SortStableFunc(timed, func(a, b *v1alpha1.SizingTrial) int {
		return cmp.Or(cmp.Compare(speed.Ratio(*a.Status.Calibration), speed.Ratio(*b.Status.Calibration)),
			cmp.Compare(a.Spec.Sequence, b.Spec.Sequence))
	})
	median := *timed[len(timed)/2].Status.Calibration
	ratio, all := speed.Ratio(median), slices.Concat(windows...)
	mean, halfWidth := speed.Mean(windows, 0.999)
	// The ratio has an error of its own, and a single batch none that is known.
	own := float64(median.RatioErrorPerMillion) / 1e6 * mean
	if halfWidth == 0 {
		own = math.Hypot(own, float64(median.ErrorMicroseconds))
	}
	micros := func(reference float64) int64 { return max(1, int64(math.Round(reference*ratio))) }
	return v1alpha1.HashTime{
		NodePool: h.pool, CPUModel: median.CPUModel, Cost: h.cost, Control: h.control,
		HashMicroseconds: micros(mean), ErrorMicroseconds: int64(math.Ceil(math.Hypot(halfWidth*ratio, own))),
		LowMicroseconds: micros(speed.Quantile(all, 0.1)), HighMicroseconds: micros(speed.Quantile(all, 0.9)),
		Samples: int32(len(all)), Trials: int32(len(timed)),
	}
}
