package calibration

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence of the interval around a mean, the same as JMH's.
const confidence = 0.999

// Statistics summarises a set of times, in seconds.
type Statistics struct {
	// Mean of the samples.
	Mean float64
	// HalfWidth of the mean's 99.9 % Student interval; 0 for a single sample, whose error
	// is unknown.
	HalfWidth float64
	// Median of the samples; with an even number, the mean of the middle two.
	Median float64
	// Samples is the number of samples.
	Samples int32
}

// Summarise returns the statistics of times in seconds. Without samples all of them are 0.
func Summarise(seconds []float64) Statistics {
	n := len(seconds)
	if n == 0 {
		return Statistics{}
	}
	sorted := slices.Sorted(slices.Values(seconds))
	s := Statistics{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Samples: int32(n)}
	if n == 1 {
		s.Mean = seconds[0]
		return s
	}
	var deviation float64
	s.Mean, deviation = stat.MeanStdDev(seconds, nil)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	s.HalfWidth = student.Quantile((1+confidence)/2) * deviation / math.Sqrt(float64(n))
	return s
}

// scale extrapolates the line a + b·2^cost through two costs to a third. The errors of the
// two are independent, and they grow with the distance.
func scale(low, high Statistics, lowCost, highCost, cost int32) Statistics {
	rounds := func(cost int32) float64 { return math.Exp2(float64(cost)) }
	reach := (rounds(cost) - rounds(lowCost)) / (rounds(highCost) - rounds(lowCost))
	along := func(low, high float64) float64 { return low + (high-low)*reach }
	return Statistics{
		Mean:      along(low.Mean, high.Mean),
		HalfWidth: math.Hypot(high.HalfWidth*reach, low.HalfWidth*(reach-1)),
		Median:    along(low.Median, high.Median),
		Samples:   high.Samples,
	}
}
