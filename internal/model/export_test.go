package model

import "time"

// LongCapacity returns the capacity by halving, from simulation runs as long as those of
// SteadyP95: ten times as long as an Outlook's.
func (s Service) LongCapacity(limit Limit, seed uint64) float64 {
	const halvings = 10
	s = s.withDefaults()
	gaps := draw(s, steadyRuns, steadyLogins, false, seed)
	met, failed := 0.0, MostShare*s.MaxPerSecond()
	for range halvings {
		if middle := (met + failed) / 2; limit.heldBy(s.steady(gaps, middle)) {
			met = middle
		} else {
			failed = middle
		}
	}
	return met
}

// Serve simulates logins at one pod and returns the number of simulated events. If whole is
// true, long logins are not shortened.
func (s Service) Serve(whole bool, due, latencies []time.Duration) (events int) {
	s = s.withDefaults()
	if whole {
		return newPod(s, 0.5).serve(due, latencies)
	}
	return s.serve(0.5, due, latencies)
}
