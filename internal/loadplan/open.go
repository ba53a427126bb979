package loadplan

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	// mostCallers bounds the generator's memory: a caller costs 0.13 MB in k6.
	mostCallers = 2000
	// spareCallers lets a burst be sent on time.
	spareCallers = 20
	// fastestWarmup is enough to open connections and fill caches; beyond it a
	// warm-up would only wear out the generator.
	fastestWarmup = 1000 * milli
)

// open makes a step of the open model that sends the given number of requests
// at the offered rate: the counted part lasts exactly requests ÷ rate.
func (s service) open(spec v1alpha1.SizingTrialSpec, index int, offeredMilli int64, requests int) Step {
	settling := s.settling(offeredMilli)
	return Step{
		Kind:                  Open,
		SettleMilliseconds:    settling.Milliseconds(),
		CountedMilliseconds:   countedMilliseconds(requests, offeredMilli),
		DrainMilliseconds:     s.drain(offeredMilli).Milliseconds(),
		Callers:               s.openCallers(offeredMilli, s.timeout),
		Arrivals:              string(arrivals(spec.Load)),
		SettleRequests:        requestsIn(settling, offeredMilli),
		Requests:              requests,
		Seed:                  StepSeed(spec.Seed, spec.Repetition, index),
		OfferedMilliPerSecond: offeredMilli,
	}
}

// warmup drives half of the first rate, and at most half of the bound, so that
// the first step does not begin with the queue of an overload. A service bears
// that easily, so that callers for a whole timeout would only slow k6's start.
func (s service) warmup(spec v1alpha1.SizingTrialSpec, firstMilli int64) Step {
	offered := max(1, min(firstMilli, s.most(), 2*fastestWarmup)/2)
	counted := time.Duration(spec.Load.WarmupSeconds) * time.Second
	return Step{
		Kind:                  Warmup,
		CountedMilliseconds:   counted.Milliseconds(),
		DrainMilliseconds:     s.drain(offered).Milliseconds(),
		Callers:               s.openCallers(offered, min(s.timeout, s.patience(offered))),
		Arrivals:              string(arrivals(spec.Load)),
		Requests:              max(1, requestsIn(counted, offered)),
		Seed:                  StepSeed(spec.Seed, spec.Repetition, warmupIndex),
		OfferedMilliPerSecond: offered,
	}
}

// openCallers is what can be under way when every login takes as long as given.
func (s service) openCallers(offeredMilli int64, longest time.Duration) int {
	if s.sessions {
		return s.sessionCallers(offeredMilli)
	}
	underWay := math.Ceil(float64(offeredMilli) / milli * longest.Seconds())
	return min(mostCallers, int(underWay)+spareCallers)
}

// patience is how long a login may take, at loads that a service can bear,
// before a step runs out of callers: twice the time in which
// a queue empties, or the stalls of a few quota periods. Callers for a whole
// timeout would never be needed there, and cost memory.
func (s service) patience(offeredMilli int64) time.Duration {
	empties := 8 * s.interval.Seconds() / (1 - s.utilisation(offeredMilli))
	return 2 * max(3*quotaPeriod, atMost(s.timeout, empties))
}

// arrivals is Poisson unless the experiment says otherwise.
func arrivals(load v1alpha1.Load) v1alpha1.Arrivals {
	if load.Arrivals == "" {
		return v1alpha1.ArrivalsPoisson
	}
	return load.Arrivals
}

// requestsIn is how many logins are due in a time, rounded.
func requestsIn(d time.Duration, offeredMilli int64) int {
	return int(math.Round(d.Seconds() * float64(offeredMilli) / milli))
}

// countedMilliseconds is how long it takes to offer the requests.
func countedMilliseconds(requests int, offeredMilli int64) int64 {
	return int64(math.Round(float64(requests) * milli * milli / float64(offeredMilli)))
}
