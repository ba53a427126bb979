package results

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// scatterOf returns half the width of the 95 % interval of the repetitions' mean, from their
// scatter, as the logarithm of a factor. It is 0 for a single repetition. Each repetition has
// its own pods, and two pods of one image differ by a percent.
func scatterOf(from []*v1alpha1.VariantResult, f Figure) float64 {
	var logs []float64
	for _, n := range values(from, f) {
		if n > 0 {
			logs = append(logs, math.Log(float64(n)))
		}
	}
	n := float64(len(logs))
	if n < 2 {
		return 0
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	return student.Quantile(0.975) * stat.StdDev(logs, nil) / math.Sqrt(n)
}

// widened returns an interval around a number, with each end moved outwards by the
// repetitions' scatter. The interval and the scatter are independent of each other.
func widened(low, number, high int64, scatter float64) (wideLow, wideHigh int64) {
	if scatter == 0 || number <= 0 {
		return low, high
	}
	below := math.Log(float64(number) / float64(max(1, min(low, number))))
	above := math.Log(float64(max(high, number)) / float64(number))
	return int64(float64(number) * math.Exp(-math.Hypot(below, scatter))),
		int64(math.Ceil(float64(number) * math.Exp(math.Hypot(above, scatter))))
}

// scatteredLatency returns the interval of a percentile of the typical repetition, widened by
// the scatter.
func scatteredLatency(interval *handover.Interval, typical *v1alpha1.VariantResult, from []*v1alpha1.VariantResult, f Figure) *handover.Interval {
	latency := f.Of(typical)
	if interval == nil || latency == nil {
		return interval
	}
	low, high := widened(interval.LowMicroseconds, *latency, interval.HighMicroseconds, scatterOf(from, f))
	return &handover.Interval{LowMicroseconds: low, HighMicroseconds: high}
}

// scatteredRate returns the interval of the capacity of the median repetition, widened by the
// scatter.
func scatteredRate(decided *v1alpha1.VariantResult, from []*v1alpha1.VariantResult) *v1alpha1.RateInterval {
	if decided.CapacityInterval == nil || decided.CapacityMilliPerSecond == nil {
		return decided.CapacityInterval
	}
	low, high := widened(decided.CapacityInterval.LowMilliPerSecond, *decided.CapacityMilliPerSecond, decided.CapacityInterval.HighMilliPerSecond, scatterOf(from, CapacityRate))
	return &v1alpha1.RateInterval{LowMilliPerSecond: low, HighMilliPerSecond: high}
}

// mergeSpeeds returns how the speed varied over all repetitions, or nil if it is unknown.
func mergeSpeeds(from []*v1alpha1.VariantResult) *v1alpha1.RowSpeed {
	var merged *v1alpha1.RowSpeed
	var medians []int64
	for _, m := range from {
		if m.Speed == nil {
			continue
		}
		if merged == nil {
			merged = m.Speed.DeepCopy()
		}
		merged.LowPerMille, merged.HighPerMille = min(merged.LowPerMille, m.Speed.LowPerMille), max(merged.HighPerMille, m.Speed.HighPerMille)
		medians = append(medians, m.Speed.MedianPerMille)
	}
	if merged != nil {
		merged.MedianPerMille = measurement.UpperMedian(medians, cmp.Compare[int64])
	}
	return merged
}
