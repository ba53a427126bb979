package summary

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/costfit"
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
// by their own verdict or by what all trials tell together, nor a cost that was
// scaled up from a lower one, which nobody timed.
//
// A cell holds one trial's calibration, the one of the lower median, so that its
// error, its samples and its CPU are those of its time.
func HashTimes(trials []v1alpha1.SizingTrial) []v1alpha1.HashTime {
	cells := map[timedHash][]*v1alpha1.SizingTrial{}
	for i, result := range together(trials) {
		timing := trials[i].Status.Calibration
		if result == nil || result.Verdict == v1alpha1.VerdictInvalid ||
			timing == nil || timing.ScaledFromCost != nil || timing.HashMicroseconds <= 0 {
			continue
		}
		variant := trials[i].Spec.Variant
		cell := timedHash{pool: costfit.NodePool(&trials[i]), control: variant.Control, cost: variant.Cost}
		cells[cell] = append(cells[cell], &trials[i])
	}
	var times []v1alpha1.HashTime
	for cell, timed := range cells {
		times = append(times, cell.typical(timed))
	}
	slices.SortFunc(times, func(a, b v1alpha1.HashTime) int {
		return cmp.Or(cmp.Compare(a.NodePool, b.NodePool), cmp.Compare(a.Control, b.Control), cmp.Compare(a.Cost, b.Cost))
	})
	return times
}

// typical is the cell of one trial or more: the time of the lower median. Of
// equal ones the trial that was planned first, in whichever order they are listed.
func (h timedHash) typical(timed []*v1alpha1.SizingTrial) v1alpha1.HashTime {
	slices.SortStableFunc(timed, func(a, b *v1alpha1.SizingTrial) int {
		return cmp.Or(cmp.Compare(a.Status.Calibration.HashMicroseconds, b.Status.Calibration.HashMicroseconds),
			cmp.Compare(a.Spec.Sequence, b.Spec.Sequence))
	})
	median := timed[(len(timed)-1)/2].Status.Calibration
	return v1alpha1.HashTime{
		NodePool: h.pool, CPUModel: median.CPUModel, Cost: h.cost, Control: h.control,
		HashMicroseconds: median.HashMicroseconds, ErrorMicroseconds: median.ErrorMicroseconds, Samples: median.Samples,
		Trials: int32(len(timed)),
	}
}
