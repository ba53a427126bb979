package speed

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
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
	// leastError is the smallest error of a median, as a share of it. The same binary differs by
	// as much from process to process.
	leastError = 0.001
	// singleError is the error of the median of a few seconds. The means of ten seconds were
	// measured to vary by 6 % (one standard deviation), those of forty seconds by 2 %.
	singleError = 0.04
	// assumedScatter is by how much pods on nodes of one kind differ in the time per hash, one standard deviation, and
	// assumedPods the number of pods that it counts as much as. Nodes of a pool are a few percent apart.
	assumedScatter, assumedPods = 0.03, 2
	// normal90 and normal95 are the quantiles of a normal distribution of 90 %, and of both sides of 95 %.
	normal90, normal95 = 1.2816, 1.96
)

// Median returns the median time per hash over the windows of several trials, in microseconds, and
// half the width of its 95 % interval as a share of it. Both are 0 without windows.
func Median(trials [][]Window) (micros, unsure float64) {
	micros = Quantile(slices.Concat(trials...), 0.5)
	_, halfWidth := Mean(trials, 0.95)
	switch {
	case micros <= 0:
		return 0, 0
	case halfWidth == 0:
		return micros, singleError
	}
	return micros, max(leastError, medianOverMean*halfWidth/micros)
}

// NodePool returns the name of a variant's node pool, or "" if it has none.
func NodePool(variant v1beta1.Variant) string {
	if variant.NodePool == nil {
		return ""
	}
	return variant.NodePool.Name
}

// Pools returns the speeds of an experiment's node pools, sorted by name. The reference is that
// of the first trial that ended, and the others were judged by it. All other numbers are over the
// windows of every trial with a result, whatever its verdict, because its windows show the CPU and
// not the load.
func Pools(trials []v1beta1.SizingTrial) []v1beta1.PoolSpeed {
	ended := map[string][]*v1beta1.SizingTrial{}
	for i := range trials {
		if trial := &trials[i]; trial.Status.Result != nil && len(OfTrial(trial)) > 0 {
			pool := NodePool(trial.Spec.Variant)
			ended[pool] = append(ended[pool], trial)
		}
	}
	var pools []v1beta1.PoolSpeed
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		first := slices.MinFunc(ended[name], byEnd).Status.Speed.ReferenceHashMicrosecondsAtCost8
		var windows [][]Window
		for _, trial := range ended[name] {
			windows = append(windows, OfTrial(trial))
		}
		all := slices.Concat(windows...)
		perMille := func(micros float64) int64 { return max(1, whole(1000*micros/float64(first))) }
		median, unsure := Median(windows)
		high, scatter := Quantile(all, 0.9), podScatter(windows)
		pools = append(pools, v1beta1.PoolSpeed{
			NodePool:                name,
			HashMicrosecondsAtCost8: first,
			MedianPerMille:          perMille(median),
			ErrorPerMille:           int64(math.Ceil(1000 * unsure)),
			LowPerMille:             perMille(Quantile(all, 0.1)),
			HighPerMille:            perMille(high),
			SizingPerMille:          perMille(slow(median, high, scatter, len(windows))),
			PodScatterPerMille:      whole(1000 * scatter),
			Windows:                 int32(len(all)),
		})
	}
	return pools
}

// podScatter returns by how much pods differ from each other in the time per hash, one standard deviation as a share of
// it, from the windows of one pod each. It is what is assumed, as if some pods had shown that, with what the medians of the
// pods differ beyond the errors of each.
func podScatter(pods [][]Window) float64 {
	var logs []float64
	errors := 0.0
	for _, windows := range pods {
		median, unsure := Median([][]Window{windows})
		logs = append(logs, math.Log(median))
		errors += unsure * unsure / (normal95 * normal95)
	}
	n, observed := float64(len(pods)), 0.0
	if n > 1 {
		observed = max(0, (n-1)*stat.Variance(logs, nil)-(n-1)/n*errors)
	}
	return math.Sqrt((assumedPods*assumedScatter*assumedScatter + observed) / (assumedPods + n - 1))
}

// slow returns the time per hash that one in ten moments on a pod that was not measured exceeds: the pod may be slower than
// those that were, as much as these are off the mean of all, and each pod is slower in its slow moments.
func slow(median, high, scatter float64, pods int) float64 {
	between := normal90 * scatter * math.Sqrt(1+1/float64(pods))
	return median * math.Exp(math.Hypot(math.Log(high/median), between))
}

// byEnd orders trials by when they ended. One without a time is just ending.
func byEnd(a, b *v1beta1.SizingTrial) int {
	ends := func(trial *v1beta1.SizingTrial) int64 {
		if at := trial.Status.CompletionTime; at != nil {
			return at.UnixNano()
		}
		return math.MaxInt64
	}
	return cmp.Compare(ends(a), ends(b))
}

// Typical returns the median time per hash on a node pool, in microseconds; 0 if it is not known yet.
func Typical(pool *v1beta1.PoolSpeed) float64 {
	if pool == nil {
		return 0
	}
	return float64(pool.MedianPerMille) / 1000 * float64(pool.HashMicrosecondsAtCost8)
}

// InPool returns the speed of a node pool, or nil if it is not known yet.
func InPool(pools []v1beta1.PoolSpeed, name string) *v1beta1.PoolSpeed {
	for i := range pools {
		if pools[i].NodePool == name {
			return &pools[i]
		}
	}
	return nil
}

// Planned returns the speed to plan a load for, in microseconds: the known reference speed, or
// that of the calibration if no reference is known (0) or if it is of another machine. It returns 0
// if the calibration has no reference hash.
func Planned(cal handover.Calibration, known int64) int64 {
	now := cal.ReferenceMicroseconds
	if off := float64(now) / float64(known); known > 0 && now > 0 && off <= Slowest && off >= Fastest {
		return known
	}
	return now
}

// PlannedFor returns a trial's calibration at the speed that its load was planned for.
func PlannedFor(status v1beta1.SizingTrialStatus) handover.Calibration {
	if status.Calibration == nil {
		return handover.Calibration{}
	}
	if status.Speed == nil {
		return *status.Calibration
	}
	return At(*status.Calibration, float64(status.Speed.PlannedHashMicrosecondsAtCost8))
}

// At returns a calibration as it would have been at another speed, given as the CPU time of a
// hash at cost 8 in microseconds. The ratio and the time of the reference hash do not change.
// Without a ratio or a speed, the calibration is returned unchanged.
func At(cal handover.Calibration, micros float64) handover.Calibration {
	ratio := Ratio(cal)
	if ratio <= 0 || micros <= 0 {
		return cal
	}
	hash := max(1, whole(micros*ratio))
	slower := float64(hash) / float64(max(1, cal.HashMicroseconds))
	// A ratio that is computed from the two times would change with one of them.
	cal.RatioPerMillion = max(1, whole(ratio*perMillion))
	cal.HashMicroseconds = hash
	cal.ErrorMicroseconds = max(min(1, cal.ErrorMicroseconds), whole(float64(cal.ErrorMicroseconds)*slower))
	cal.MedianMicroseconds = whole(float64(cal.MedianMicroseconds) * slower)
	cal.ClockHashesMilliPerSecond = whole(float64(cal.ClockHashesMilliPerSecond) / slower)
	return cal
}

func whole(x float64) int64 { return int64(math.Round(x)) }
