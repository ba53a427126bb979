// Package figures computes what the benchmarks compare with their goals: medians, percentiles
// by rank, the dispersion of arrivals, and where a ladder of rates crosses an objective.
//
// It does not measure and does not know goals.
package figures

import (
	"maps"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
)

// Median returns the middle value, or the mean of the middle two. It is NaN without values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	upper := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[upper]
	}
	return (sorted[upper-1] + sorted[upper]) / 2
}

// Percentile returns the time of rank ⌈share·n⌉, as in Hashmark's p95. It is 0 without times.
func Percentile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	rank := int(math.Ceil(share * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Dispersion returns the variance of the counts in bins of equal width, divided by their mean:
// 1 for a Poisson process, 0 for even spacing. Times before 0 and after the last bin are
// ignored. It is NaN for fewer than two bins.
func Dispersion(times []time.Duration, width time.Duration, bins int) float64 {
	counts := make([]float64, bins)
	for _, at := range times {
		if bin := int(at / width); at >= 0 && bin < bins {
			counts[bin]++
		}
	}
	mean, variance := stat.MeanVariance(counts, nil)
	return variance / mean
}

// Deviation returns the standard deviation of a sample, divided by its mean. It is NaN for
// fewer than two values.
func Deviation(values []float64) float64 {
	mean, deviation := stat.MeanStdDev(values, nil)
	return deviation / mean
}

// Range returns the largest value ÷ the smallest. It is NaN without values or if one is NaN.
func Range(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return slices.Max(values) / slices.Min(values)
}

// Farthest returns the largest distance of a value from the median, as a share of the median.
// It is NaN without values or if one is NaN.
func Farthest(values []float64) float64 {
	median, farthest := Median(values), 0.0
	for _, value := range values {
		farthest = math.Max(farthest, math.Abs(value/median-1))
	}
	if math.IsNaN(median) {
		return median
	}
	return farthest
}

// UpperBound returns the upper end of the bucket of a histogram below which a share of its
// observations lie. The counts are cumulative, by the upper end of their bucket. It is NaN
// without observations.
func UpperBound(cumulative map[float64]float64, share float64) float64 {
	bounds := slices.Sorted(maps.Keys(cumulative))
	for _, bound := range bounds {
		all := cumulative[bounds[len(bounds)-1]]
		if all > 0 && cumulative[bound] >= share*all {
			return bound
		}
	}
	return math.NaN()
}
