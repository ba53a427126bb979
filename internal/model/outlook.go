package model

import "math"

const (
	// outlookRuns runs, each with outlookLogins counted logins, are a tenth of what
	// SteadyP95 simulates. p95 at 90 % load then varies by about 12 % from seed to seed, and
	// the rate that meets a limit there by 1 %.
	outlookRuns, outlookLogins = 5, 4_000
	// lastRate is the index of the highest rate. The rates are evenly spaced from index 0,
	// without load, to MostShare.
	lastRate = 64
)

// Outlook has a service's steady state at all rates, simulated on demand with the same
// arrivals, scaled to the rate.
type Outlook struct {
	service Service
	uniform bool
	seed    uint64
	// runs is the number of simulated runs.
	runs int
	// gaps is nil until the first rate is simulated.
	gaps *gaps
	// tried has the distributions by the index of the rate.
	tried map[int]distribution
}

// NewOutlook returns the outlook of a service. Arrivals are drawn from a seed, or evenly spaced.
func (s Service) NewOutlook(uniform bool, seed uint64) *Outlook {
	return &Outlook{service: s.withDefaults(), uniform: uniform, seed: seed, runs: outlookRuns, tried: map[int]distribution{}}
}

// Longer returns an outlook of the same service that simulates so many times as many logins. The standard deviation of its
// capacities is smaller by the square root of that.
func (o *Outlook) Longer(times int) *Outlook {
	longer := o.service.NewOutlook(o.uniform, o.seed)
	longer.runs = times * o.runs
	return longer
}

// Capacity returns the highest rate, in logins per second over all replicas, at which the
// steady state meets the limit, or 0 if no rate does. It is at most MostShare of MaxPerSecond,
// even if a bounded queue would meet the limit above that.
//
// The error is about 3 %, and less if the outlook is longer. The result never falls when the limit is relaxed: every limit is
// checked at the same rates, and between two rates p95 is assumed to rise geometrically.
func (o *Outlook) Capacity(limit Limit) float64 {
	if o.service.Hash <= 0 || !limit.heldBy(o.at(0)) {
		return 0
	}
	if limit.heldBy(o.at(lastRate)) {
		return o.rate(lastRate)
	}
	met, failed := 0, lastRate
	for failed-met > 1 {
		if middle := (met + failed) / 2; limit.heldBy(o.at(middle)) {
			met = middle
		} else {
			failed = middle
		}
	}
	return o.rate(float64(met) + limit.between(o.at(met), o.at(failed)))
}

func (o *Outlook) rate(index float64) float64 {
	return index / lastRate * MostShare * o.service.MaxPerSecond()
}

func (o *Outlook) at(index int) distribution {
	found, known := o.tried[index]
	if !known {
		if o.gaps == nil && index > 0 {
			o.gaps = draw(o.service, o.runs, outlookLogins, o.uniform, o.seed)
		}
		found = o.service.steady(o.gaps, o.rate(float64(index)))
		o.tried[index] = found
	}
	return found
}

// between returns where the first of the latencies and the failures exceeds the limit, between one that
// meets it and one that does not, 0 to 1.
func (l Limit) between(met, failed distribution) float64 {
	place := 1.0
	held := l.comparisons(met)
	for i, p := range l.comparisons(failed) {
		switch was := float64(held[i].found); {
		case p.found == Failed:
			place = 0
		case p.found > p.longest:
			place = min(place, math.Log(float64(p.longest)/was)/math.Log(float64(p.found)/was))
		}
	}
	if failed.failedShare > l.ErrorShare {
		place = min(place, (l.ErrorShare-met.failedShare)/(failed.failedShare-met.failedShare))
	}
	return place
}
