package model

import (
	"math"
	"time"
)

// Course is how the speed of the CPU changes over a run. A login that is hashed while the
// factor is 1.1 takes 1.1 times Service.Hash.
type Course struct {
	// Every is how long each factor applies, above 0.
	Every time.Duration
	// Begun is for how long the first factor has applied when the run begins.
	Begun time.Duration
	// Factors apply one after another, each above 0. The last one applies to the end.
	Factors []float64
}

// at returns the factor at a moment, and when the next one begins.
func (c *Course) at(now time.Duration) (factor float64, until time.Duration) {
	if c == nil || len(c.Factors) == 0 {
		return 1, never
	}
	place := int((now + c.Begun) / c.Every)
	if place >= len(c.Factors)-1 {
		return c.Factors[len(c.Factors)-1], never
	}
	return c.Factors[place], time.Duration(place+1)*c.Every - c.Begun
}

// stretched returns how long a hash takes that needs so much CPU time at factor 1.
func stretched(left time.Duration, factor float64) time.Duration {
	if factor == 1 {
		return left
	}
	return time.Duration(math.Ceil(float64(left) * factor))
}

// progress returns how much of a hash is done in a time. It rounds up, like stretched, so that
// a hash always ends at the moment that stretched returns.
func progress(used time.Duration, factor float64) time.Duration {
	if factor == 1 {
		return used
	}
	return time.Duration(math.Ceil(float64(used) / factor))
}
