package loadplan

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

const (
	// mostCallers limits the generator's memory: a caller needs 0.13 MB in k6.
	mostCallers = 2000
	// spareCallers allow a burst to be sent on time.
	spareCallers = 20
	// fastestWarmup is enough to open connections and fill caches. A faster warm-up would
	// only use more CPU of the generator.
	fastestWarmup = 1000 * milli
)

// open returns an open step that sends the given number of requests at the offered rate.
// The counted part lasts exactly requests ÷ rate.
func (s service) open(spec v1beta1.SizingTrialSpec, purpose v1beta1.StepPurpose, index int, offeredMilli int64, requests int) Step {
	settling := s.settling(offeredMilli)
	return Step{
		Kind:                  Open,
		Purpose:               purpose,
		SettleMilliseconds:    settling.Milliseconds(),
		CountedMilliseconds:   countedMilliseconds(requests, offeredMilli),
		DrainMilliseconds:     s.drain(offeredMilli).Milliseconds(),
		Callers:               s.openCallers(offeredMilli, s.timeout),
		Arrivals:              string(spec.Load.Arrivals()),
		SettleRequests:        requestsIn(settling, offeredMilli),
		Requests:              requests,
		Seed:                  StepSeed(spec.Seed, spec.Repetition, index),
		OfferedMilliPerSecond: offeredMilli,
	}
}

// mostWarming limits the logins of a warm-up in the first step, because all logins of a step are simulated.
const mostWarming = 1000

// warmedUp lets a service that only hashes settle for at least as long as the warm-up in its first step, unless that is an
// overload. Any other begins with a warm-up, because it can be too slow for the first step until it is warm.
func (s service) warmedUp(spec v1beta1.SizingTrialSpec, steps []Step) []Step {
	warmup := spec.Load.Warmup()
	if warmup == 0 || len(steps) == 0 {
		return steps
	}
	first := &steps[0]
	if s.modelled && first.Kind == Open && s.utilisation(first.OfferedMilliPerSecond) < SteadyBelow {
		settling := max(warmup, s.settling(first.OfferedMilliPerSecond))
		if logins := max(1, requestsIn(settling, first.OfferedMilliPerSecond)); logins <= mostWarming {
			first.SettleMilliseconds, first.SettleRequests = settling.Milliseconds(), logins
			return steps
		}
	}
	return append([]Step{s.warmup(spec, s.firstRate(steps))}, steps...)
}

// warmup returns a step at half of the first rate, and at most half of the bound, so that the first step
// does not begin with the queue of an overload.
func (s service) warmup(spec v1beta1.SizingTrialSpec, firstMilli int64) Step {
	offered := max(1, min(firstMilli, s.highestRate(), 2*fastestWarmup)/2)
	counted := spec.Load.Warmup()
	step := s.open(spec, "", warmupIndex, offered, max(1, requestsIn(counted, offered)))
	step.Kind, step.SettleMilliseconds, step.SettleRequests = Warmup, 0, 0
	step.CountedMilliseconds = counted.Milliseconds()
	step.Callers = s.openCallers(offered, min(s.timeout, s.patience(offered)))
	return step
}

func (s service) openCallers(offeredMilli int64, longest time.Duration) int {
	if s.sessions {
		return s.sessionCallers(offeredMilli)
	}
	underWay := math.Ceil(float64(offeredMilli) / milli * longest.Seconds())
	return min(mostCallers, int(underWay)+spareCallers)
}

// patience returns how long a login can take before a step that the service can serve runs out of callers:
// twice the time in which a queue empties, or a few quota periods. Callers for a whole timeout need memory.
func (s service) patience(offeredMilli int64) time.Duration {
	empties := 8 * s.interval.Seconds() / (1 - s.utilisation(offeredMilli))
	return 2 * max(3*evidence.UsualPeriod, atMost(s.timeout, empties))
}

func requestsIn(d time.Duration, offeredMilli int64) int {
	return int(math.Round(d.Seconds() * float64(offeredMilli) / milli))
}

// countedMilliseconds returns the time in which the requests are offered.
func countedMilliseconds(requests int, offeredMilli int64) int64 {
	return int64(math.Round(float64(requests) * milli * milli / float64(offeredMilli)))
}

const (
	// saturationCompletions is the number of completions with which the error of the maximum
	// is a few percent.
	saturationCompletions = 20
	// saturationMargin allows for a service that does not quite reach its bound.
	saturationMargin = 1.5
	// saturationShortest is the shortest counted part, unless the experiment's steps are
	// shorter.
	saturationShortest = 5 * time.Second
)

// closed returns a step in which callers log in again once they are answered.
func (s service) closed(kind Kind, purpose v1beta1.StepPurpose, callers int, counted time.Duration) Step {
	return Step{
		Kind:                kind,
		Purpose:             purpose,
		SettleMilliseconds:  s.closedSettling(callers).Milliseconds(),
		CountedMilliseconds: counted.Milliseconds(),
		DrainMilliseconds:   s.boundedDrain(2 * s.round(callers).Seconds()).Milliseconds(),
		Callers:             callers,
	}
}

// saturation keeps every lane busy, with at most about as many logins waiting. It is a closed loop, because
// an open overload counts logins whose callers have given up. Every caller should be answered at least once:
// logins that share the CPU end together, and a counted part between two batches would have no completion.
func (s service) saturation(load v1beta1.Load) Step {
	callers := s.saturationCallers()
	own := time.Duration(load.StepSeconds) * time.Second
	longest := max(own, time.Duration(load.MaxStepSeconds())*time.Second)
	completions := saturationMargin * float64(max(saturationCompletions, callers))
	counted := max(min(saturationShortest, own), atMost(longest, s.secondsFor(completions)))
	return s.closed(Saturation, v1beta1.PurposeMaximum, callers, counted)
}

func (s service) secondsFor(logins float64) float64 {
	return logins * milli / float64(s.bound)
}

// saturationCallers returns 2n + 2 for each replica of n lanes, or fewer if they would wait for more than
// half the timeout. Fewer than n + 1 would not saturate it.
func (s service) saturationCallers() int {
	lanes := int(s.lanes)
	patient := int(math.Floor(s.timeout.Seconds() / 2 / s.interval.Seconds()))
	perReplica := max(lanes+1, min(2*lanes+2, patient))
	return min(mostCallers, perReplica*int(s.replicas))
}
