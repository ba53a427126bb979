package model

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Pool has the hash times on one node pool.
type Pool struct {
	// Name of the node pool; empty if the experiment has no node pools.
	Name string
	// Reference is the time of the reference hash that Times are computed from, in seconds.
	Reference float64
	// Line is the line through Times.
	Line calibration.Line
	// Times has the median of each cost, the lowest cost first.
	Times []calibration.CostTime
}

// Of fits a line for each node pool on which two costs or more were timed,
// sorted by the pools' names. Only trials with a result that is not Invalid
// count.
func Of(trials []v1beta1.SizingTrial) []Pool {
	seconds, references := map[string]map[int32][]float64{}, referenceSeconds(trials)
	for i := range trials {
		trial := &trials[i]
		pool, cost := speed.NodePool(trial.Spec.Variant), trial.Spec.Variant.Hash.Cost()
		if !Timed(trial) || references[pool] <= 0 {
			continue
		}
		if seconds[pool] == nil {
			seconds[pool] = map[int32][]float64{}
		}
		seconds[pool][cost] = append(seconds[pool][cost], speed.Ratio(*trial.Status.Calibration)*references[pool])
	}
	var pools []Pool
	for _, name := range slices.Sorted(maps.Keys(seconds)) {
		pool := Pool{Name: name, Reference: references[name], Times: medians(seconds[name])}
		if line, ok := calibration.Fit(pool.Times, MostConstant(trials[0].Spec.Service)); ok {
			pool.Line = line
			pools = append(pools, pool)
		}
	}
	return pools
}

// MostConstant returns how much of the time of a login can be independent of its cost, in rounds.
func MostConstant(service v1beta1.Service) float64 {
	if service.Own != nil {
		return calibration.LoginConstant
	}
	return calibration.HashConstant
}

// Timed reports whether a trial timed hashes of its variant's own cost and is not Invalid. It
// is false for a time that was scaled up from a lower cost, because that is on a line anyway.
func Timed(trial *v1beta1.SizingTrial) bool {
	result, timing := trial.Status.Result, trial.Status.Calibration
	return result != nil && result.Verdict != v1beta1.VerdictInvalid &&
		timing != nil && timing.ScaledFromCost == nil && speed.Ratio(*timing) > 0 &&
		trial.Spec.Variant.Hash.Bcrypt != nil
}

// referenceSeconds returns the time of the reference hash on each node pool: at the reference
// speed if it is known, or else the median of the calibrations.
func referenceSeconds(trials []v1beta1.SizingTrial) map[string]float64 {
	known := map[string]float64{}
	for _, pool := range speed.Pools(trials) {
		known[pool.NodePool] = float64(pool.HashMicrosecondsAtCost8) / 1e6
	}
	calibrated := map[string][]float64{}
	for i := range trials {
		pool := speed.NodePool(trials[i].Spec.Variant)
		if timing := trials[i].Status.Calibration; timing != nil && timing.ReferenceMicroseconds > 0 && known[pool] == 0 {
			calibrated[pool] = append(calibrated[pool], float64(timing.ReferenceMicroseconds)/1e6)
		}
	}
	for pool, all := range calibrated {
		known[pool] = calibration.Summarise(all).Median
	}
	return known
}

func medians(seconds map[int32][]float64) []calibration.CostTime {
	var times []calibration.CostTime
	for cost, all := range seconds {
		times = append(times, calibration.CostTime{Cost: cost, Seconds: calibration.Summarise(all).Median})
	}
	slices.SortFunc(times, func(a, b calibration.CostTime) int { return cmp.Compare(a.Cost, b.Cost) })
	return times
}

// API returns the pool's fit as the experiment's status shows it.
func (p Pool) API() v1beta1.CostFit {
	fit := v1beta1.CostFit{
		NodePool:            p.Name,
		ConstantNanoseconds: whole(1e9 * p.Line.Constant),
		RoundNanoseconds:    whole(1e9 * p.Line.Round),
	}
	exact := true
	for _, time := range p.Times {
		perMille := whole(1000 * p.Line.Residual(time))
		fit.Residuals = append(fit.Residuals, v1beta1.CostResidual{Cost: time.Cost, PerMille: perMille})
		exact = exact && perMille == 0
	}
	if exact {
		fit.Residuals = nil
	}
	return fit
}

func whole(x float64) int64 { return int64(math.Round(x)) }
