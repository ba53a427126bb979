package simulation

import "math"

const (
	// outlookRuns, each of outlookLogins that count, are a tenth of what Capacity
	// takes: p95 at 90 % load then varies by some 12 % from seed to seed, and the rate
	// that meets a limit there by 1 %.
	outlookRuns, outlookLogins = 5, 4_000
	// rungs are the rates that are tried, evenly spaced from 0 to MostShare.
	rungs = 64
)

// Outlook is a service's steady state at all rates, tried as far as it is asked
// for. It is quick where Capacity is exact: for many services, or many limits.
type Outlook struct {
	service Service
	gaps    *gaps
	idle    outcome
	tried   map[int]outcome
}

// Outlook of a service, whose logins are drawn from a seed, or evenly spaced.
func (s Service) Outlook(uniform bool, seed uint64) *Outlook {
	s = s.whole()
	return &Outlook{
		service: s, gaps: draw(s, outlookRuns, outlookLogins, uniform, seed),
		idle: s.noLoad(), tried: map[int]outcome{},
	}
}

// Capacity is Service.Capacity to within some 3 %. It rises with the limit, too:
// every limit is held against the same rates, and between two of them p95 is
// taken to rise geometrically.
func (o *Outlook) Capacity(limit Limit) float64 {
	if o.service.Hash <= 0 || !limit.heldBy(o.idle) {
		return 0
	}
	if limit.heldBy(o.at(rungs)) {
		return o.rate(rungs)
	}
	met, failed := 0, rungs
	for failed-met > 1 {
		if middle := (met + failed) / 2; limit.heldBy(o.at(middle)) {
			met = middle
		} else {
			failed = middle
		}
	}
	return o.rate(float64(met) + limit.between(o.at(met), o.at(failed)))
}

// rate of a rung, or of a place between two.
func (o *Outlook) rate(rung float64) float64 {
	return rung / rungs * MostShare * o.service.MaxPerSecond()
}

func (o *Outlook) at(rung int) outcome {
	if rung == 0 {
		return o.idle
	}
	found, known := o.tried[rung]
	if !known {
		found = o.service.steady(o.gaps, o.rate(float64(rung)))
		o.tried[rung] = found
	}
	return found
}

// between is where on the way from an outcome that holds the limit to one that
// does not it ceases to be held, 0 to 1: by one of its latencies or by its failures,
// whichever is first.
func (l Limit) between(met, failed outcome) float64 {
	place := 1.0
	held := l.promises(met)
	for i, p := range l.promises(failed) {
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
