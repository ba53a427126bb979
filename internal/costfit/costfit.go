// Package costfit says how the time of a hash grows with bcrypt's cost on each
// node pool of an experiment: the line
//
//	time = a + b·2^cost
//
// through the median hash time of each cost. CPU time depends on the cost and
// the node alone, so all CPU limits and kinds of concurrency are taken together,
// and a cost that lies off the line was disturbed while it was calibrated.
//
// With two costs both share what lies between them: that one is off is seen,
// which one is not. Of three or more the disturbed one lies farthest from the
// line. How far is too far is for package verdict to say.
package costfit

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
)

// Pool is what is known of hash times on one node pool.
type Pool struct {
	// Name of the node pool; empty where the experiment names none.
	Name string
	// Line through Times.
	Line calibration.Line
	// Times is the median of each cost, the lowest cost first.
	Times []calibration.CostTime
}

// Of fits a line for each node pool on which two costs or more were timed,
// sorted by the pools' names. Only trials with a result that is not Invalid
// count.
func Of(trials []v1alpha1.SizingTrial) []Pool {
	seconds := map[string]map[int32][]float64{}
	for i := range trials {
		trial := &trials[i]
		if !Timed(trial) {
			continue
		}
		pool, cost := NodePool(trial), trial.Spec.Variant.Cost
		if seconds[pool] == nil {
			seconds[pool] = map[int32][]float64{}
		}
		seconds[pool][cost] = append(seconds[pool][cost], float64(trial.Status.Calibration.HashMicroseconds)/1e6)
	}
	var pools []Pool
	for _, name := range slices.Sorted(maps.Keys(seconds)) {
		pool := Pool{Name: name, Times: medians(seconds[name])}
		if line, ok := calibration.Fit(pool.Times); ok {
			pool.Line = line
			pools = append(pools, pool)
		}
	}
	return pools
}

// Timed tells whether a trial timed hashes of its variant's own cost and may be
// believed. A cost that was scaled up lies on a line already.
func Timed(trial *v1alpha1.SizingTrial) bool {
	result, timing := trial.Status.Result, trial.Status.Calibration
	return result != nil && result.Verdict != v1alpha1.VerdictInvalid &&
		timing != nil && timing.ScaledFromCost == nil && timing.HashMicroseconds > 0 &&
		trial.Spec.Variant.Algorithm == v1alpha1.AlgorithmBcrypt
}

// NodePool is the name of a trial's node pool; empty where there are none.
func NodePool(trial *v1alpha1.SizingTrial) string {
	if pool := trial.Spec.Variant.NodePool; pool != nil {
		return pool.Name
	}
	return ""
}

func medians(seconds map[int32][]float64) []calibration.CostTime {
	var times []calibration.CostTime
	for cost, all := range seconds {
		times = append(times, calibration.CostTime{Cost: cost, Seconds: calibration.Summarise(all).Median})
	}
	slices.SortFunc(times, func(a, b calibration.CostTime) int { return cmp.Compare(a.Cost, b.Cost) })
	return times
}

// API is the pool's fit as the experiment's status tells it.
func (p Pool) API() v1alpha1.CostFit {
	fit := v1alpha1.CostFit{
		NodePool:            p.Name,
		ConstantNanoseconds: whole(1e9 * p.Line.Constant),
		RoundNanoseconds:    whole(1e9 * p.Line.Round),
	}
	for _, time := range p.Times {
		fit.Residuals = append(fit.Residuals, v1alpha1.CostResidual{
			Cost: time.Cost, PerMille: whole(1000 * p.Line.Residual(time)),
		})
	}
	return fit
}

func whole(x float64) int64 { return int64(math.Round(x)) }
