package model

import "math"

const (
	// outlookRuns runs, each with outlookLogins counted logins, are a tenth of what
	// Capacity simulates. p95 at 90 % load then varies by about 12 % from seed to seed, and
	// the rate that meets a limit there by 1 %.
	outlookRuns, outlookLogins = 5, 4_000
	// lastRate is the index of the highest rate. The rates are evenly spaced from index 0,
	// without load, to MostShare.
	lastRate = 64
)

// Outlook has a service's steady state at all rates, simulated on demand. It is faster and
// less exact than Service.Capacity, for many services or many limits.
type Outlook struct {
	service Service
	gaps    *gaps
	idle    outcome
	// tried has the outcomes by the index of the rate.
	tried map[int]outcome
}

// NewOutlook returns the outlook of a service. Arrivals are drawn from a seed, or evenly spaced.
func (s Service) NewOutlook(uniform bool, seed uint64) *Outlook {
	s = s.withDefaults()
	return &Outlook{
		service: s, gaps: draw(s, outlookRuns, outlookLogins, uniform, seed),
		idle: s.noLoad(), tried: map[int]outcome{},
	}
}

// Capacity returns Service.Capacity to within about 3 %. It also never falls when the limit is
// relaxed: every limit is checked at the same rates, and between two rates p95 is assumed to
// rise geometrically.
func (o *Outlook) Capacity(limit Limit) float64 {
	if o.service.Hash <= 0 || !limit.heldBy(o.idle) {
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

// rate returns the rate at an index, which can be between two rates.
func (o *Outlook) rate(index float64) float64 {
	return index / lastRate * MostShare * o.service.MaxPerSecond()
}

func (o *Outlook) at(index int) outcome {
	if index == 0 {
		return o.idle
	}
	found, known := o.tried[index]
	if !known {
		found = o.service.steady(o.gaps, o.rate(float64(index)))
		o.tried[index] = found
	}
	return found
}

// between returns where the limit stops being met between an outcome that meets it and one
// that does not, 0 to 1. That is where the first of its latencies or its failures exceeds the
// limit.
func (l Limit) between(met, failed outcome) float64 {
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
