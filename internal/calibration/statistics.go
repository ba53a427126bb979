package calibration

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence of the interval around a mean, as JMH gives it.
const confidence = 0.999

// Statistics is what a set of times comes to, in seconds.
type Statistics struct {
	// Mean of the samples.
	Mean float64
	// HalfWidth of the mean's 99.9 % Student interval; 0 for a single sample, of
	// which nothing can be said.
	HalfWidth float64
	// Median of the samples; of an even number, the middle two's mean.
	Median float64
	// Samples is how many there were.
	Samples int32
}

// Summarise works out the statistics of times in seconds. No samples come to
// nothing but zeros.
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

// scale follows the line a + b·2^cost through two costs to a third. What the two
// are unsure of grows with the distance, independently of each other.
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
