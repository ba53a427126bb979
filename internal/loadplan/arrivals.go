package loadplan

import (
	"math"
	"time"
)

// Poisson draws n due times in [0, over), in ascending order. The same seed draws the same
// times on every machine, to within a microsecond. It returns nil if n is below 1.
func Poisson(seed uint32, n int, over time.Duration) []time.Duration {
	if n < 1 {
		return nil
	}
	source := generator{state: seed}
	sums := make([]float64, n)
	total := 0.0
	for k := range sums {
		total += source.exponential()
		sums[k] = total
	}
	total += source.exponential()

	due := make([]time.Duration, n)
	for k, sum := range sums {
		due[k] = within(over, sum/total)
	}
	return due
}

// Uniform spaces n due times evenly in [0, over), each in the middle of its share. It returns
// nil if n is below 1.
func Uniform(n int, over time.Duration) []time.Duration {
	if n < 1 {
		return nil
	}
	due := make([]time.Duration, n)
	for k := range due {
		due[k] = within(over, (float64(k)+0.5)/float64(n))
	}
	return due
}

// within returns a share of a time in whole microseconds, always less than all of it.
func within(over time.Duration, share float64) time.Duration {
	us := math.Floor(float64(over.Microseconds()) * share)
	return min(time.Duration(us)*time.Microsecond, over-time.Microsecond)
}
