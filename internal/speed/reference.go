package speed

import (
	"maps"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	// Slowest is the longest time per hash ÷ the reference that counts as drift. A value above
	// it or below Fastest means another machine: the measured extremes of one machine over
	// half a second were 0.84 and 1.27.
	Slowest = 1.5
	// Fastest is the shortest time per hash ÷ the reference that counts as drift.
	Fastest = 0.67
	// medianOverMean is how much more the median of normal samples varies than their mean:
	// √(π/2).
	medianOverMean = 1.2533
	// leastError is the smallest error of a reference speed, as a share of it. The same binary
	// differs by as much from process to process.
	leastError = 0.001
	// singleError is the error of the median of a few seconds. The means of ten seconds were
	// measured to vary by 6 % (one standard deviation), those of forty seconds by 2 %.
	singleError = 0.04
)

// Reference is the speed that numbers are converted to.
type Reference struct {
	// Micros is the CPU time of one hash at cost 8, in microseconds; 0 if unknown.
	Micros float64
	// Error is half the width of its 95 % interval, as a share of it.
	Error float64
}

// ReferenceOf returns the median over the windows of several trials. It returns false if there
// are no windows.
func ReferenceOf(trials [][]Window) (Reference, bool) {
	median := Quantile(slices.Concat(trials...), 0.5)
	if median <= 0 {
		return Reference{}, false
	}
	_, halfWidth := Mean(trials, 0.95)
	known := Reference{Micros: median, Error: max(leastError, medianOverMean*halfWidth/median)}
	if halfWidth == 0 {
		known.Error = singleError
	}
	return known, true
}

// NodePool returns the name of a variant's node pool, or "" if it has none.
func NodePool(variant v1alpha1.Variant) string {
	if variant.NodePool == nil {
		return ""
	}
	return variant.NodePool.Name
}

// Pools returns the reference speeds of an experiment's node pools, sorted by name. Every
// trial with a result counts, whatever its verdict, because its windows show the CPU and not
// the load.
func Pools(trials []v1alpha1.SizingTrial) []v1alpha1.PoolSpeed {
	windows := map[string][][]Window{}
	for i := range trials {
		if own := OfTrial(&trials[i]); len(own) > 0 && trials[i].Status.Result != nil {
			pool := NodePool(trials[i].Spec.Variant)
			windows[pool] = append(windows[pool], own)
		}
	}
	var pools []v1alpha1.PoolSpeed
	for _, name := range slices.Sorted(maps.Keys(windows)) {
		known, _ := ReferenceOf(windows[name])
		all := slices.Concat(windows[name]...)
		pools = append(pools, v1alpha1.PoolSpeed{
			NodePool:                name,
			HashMicrosecondsAtCost8: max(1, whole(known.Micros)),
			ErrorPerMille:           int64(math.Ceil(1000 * known.Error)),
			LowPerMille:             whole(1000 * Quantile(all, 0.1) / known.Micros),
			HighPerMille:            whole(1000 * Quantile(all, 0.9) / known.Micros),
			Windows:                 int32(len(all)),
		})
	}
	return pools
}

// InPool returns the reference speed of a node pool and its entry, which is nil if the speed
// is not known yet.
func InPool(pools []v1alpha1.PoolSpeed, name string) (Reference, *v1alpha1.PoolSpeed) {
	for i := range pools {
		if p := &pools[i]; p.NodePool == name {
			return Reference{Micros: float64(p.HashMicrosecondsAtCost8), Error: float64(p.ErrorPerMille) / 1000}, p
		}
	}
	return Reference{}, nil
}

// Planned returns the speed to plan a load for: the known reference speed, or that of the
// calibration if no reference is known or if it is of another machine. It returns 0 if the
// calibration has no reference hash.
func Planned(cal v1alpha1.TrialCalibration, known Reference) float64 {
	now := float64(cal.ReferenceMicroseconds)
	if off := now / known.Micros; known.Micros > 0 && now > 0 && off <= Slowest && off >= Fastest {
		return known.Micros
	}
	return now
}

// PlannedFor returns a trial's calibration at the speed that its load was planned for.
func PlannedFor(status v1alpha1.SizingTrialStatus) v1alpha1.TrialCalibration {
	if status.Calibration == nil {
		return v1alpha1.TrialCalibration{}
	}
	if status.Speed == nil {
		return *status.Calibration
	}
	return At(*status.Calibration, float64(status.Speed.PlannedHashMicrosecondsAtCost8))
}

// At returns a calibration as it would have been at another speed, given as the CPU time of a
// hash at cost 8 in microseconds. The ratio and the time of the reference hash do not change.
// Without a ratio or a speed, the calibration is returned unchanged.
func At(cal v1alpha1.TrialCalibration, micros float64) v1alpha1.TrialCalibration {
	ratio := Ratio(cal)
	if ratio <= 0 || micros <= 0 {
		return cal
	}
	hash := max(1, whole(micros*ratio))
	slower := float64(hash) / float64(max(1, cal.HashMicroseconds))
	// A ratio that is computed from the two times would change with one of them.
	cal.RatioPerMillion = max(1, whole(ratio*perMillion))
	cal.HashMicroseconds = hash
	cal.ErrorMicroseconds = max(min(1, cal.ErrorMicroseconds), times(cal.ErrorMicroseconds, slower))
	cal.MedianMicroseconds = times(cal.MedianMicroseconds, slower)
	cal.ClockHashesMilliPerSecond = times(cal.ClockHashesMilliPerSecond, 1/slower)
	return cal
}

func whole(x float64) int64 { return int64(math.Round(x)) }
