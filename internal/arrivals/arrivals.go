// Package arrivals draws the moments at which the logins of an open step are due.
//
// A Poisson step has its number of logins n given, so that the offered rate is
// exact, and their due times by chance, as independent people log in:
//
//	due_k = T × (E_1 + … + E_k) ÷ (E_1 + … + E_{n+1}),  E exponential
//
// This is a Poisson process of the length T given its count: its due times are
// distributed as n sorted uniform draws from [0, T). A uniform step has
// due_k = T × (k − ½) ÷ n.
//
// The k6 script draws the same times in JavaScript, from the same seed; a test
// in folder loadtests holds the two equal. The package does not say how many
// logins a step has or which seed it draws from (package loadplan does).
package arrivals

import (
	"math"
	"time"
)

// Poisson draws n due times in [0, over), rising. The same seed draws the same
// times on every machine, to within a microsecond. No times come of n below 1.
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

// Uniform spaces n due times evenly in [0, over), each in the middle of its
// share. No times come of n below 1.
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

// within takes a share of a time in whole microseconds, always short of all of it.
func within(over time.Duration, share float64) time.Duration {
	us := math.Floor(float64(over.Microseconds()) * share)
	return min(time.Duration(us)*time.Microsecond, over-time.Microsecond)
}
