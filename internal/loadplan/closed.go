package loadplan

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	// saturationCompletions make the maximum good to a few percent where logins
	// complete one by one.
	saturationCompletions = 20
	// saturationMargin is for a service that does not quite reach its bound.
	saturationMargin = 1.5
	// saturationShortest holds unless the experiment's own steps are shorter.
	saturationShortest = 5 * time.Second
	// saturationPerBatch is how many completions there should be for each one by
	// which a batch is larger than 1: what completes together is counted whole at
	// both ends of (completions − 1) ÷ (last − first), which then is too high by
	// (batch − 1) ÷ completions, here 2 %.
	saturationPerBatch = 50
	// saturationLonger bounds the time that is spent on that.
	saturationLonger = 30 * time.Second
)

// closed makes a step in which callers log in again once they are answered.
func (s service) closed(kind Kind, callers int, counted time.Duration) Step {
	return Step{
		Kind:                kind,
		SettleMilliseconds:  s.closedSettling(callers).Milliseconds(),
		CountedMilliseconds: counted.Milliseconds(),
		DrainMilliseconds:   s.boundedDrain(2 * s.round(callers).Seconds()).Milliseconds(),
		Callers:             callers,
	}
}

// saturation keeps every lane busy and, at most, as many logins again waiting.
// It is a closed loop, because an open overload counts logins whose callers
// have given up and completions that come after the end.
func (s service) saturation(load v1alpha1.Load) Step {
	callers := s.saturationCallers()
	own := time.Duration(load.StepSeconds) * time.Second
	longest := max(own, time.Duration(load.MaxStepSeconds)*time.Second)
	counted := max(
		min(saturationShortest, own),
		atMost(longest, s.secondsFor(saturationMargin*saturationCompletions)),
		atMost(min(saturationLonger, longest), s.secondsFor(saturationPerBatch*(s.batch(callers)-1))),
	)
	return s.closed(Saturation, callers, counted)
}

// batch is how many logins can complete together: those that are hashed at the
// same time, which begin together again as soon as they are answered.
func (s service) batch(callers int) float64 {
	if s.pooled {
		return float64(s.lanes * s.replicas)
	}
	return float64(callers)
}

// secondsFor is how long the service takes for a number of logins at its bound.
func (s service) secondsFor(logins float64) float64 {
	return logins * milli / float64(s.bound)
}

// saturationCallers is 2n + 2 for each replica of n lanes, or fewer where they
// would wait for more than half the timeout: callers that are about to give up
// make the service hash for nobody. Fewer than n + 1 would not saturate it.
func (s service) saturationCallers() int {
	lanes := int(s.lanes)
	patient := int(math.Floor(s.timeout.Seconds() / 2 / s.interval.Seconds()))
	perReplica := max(lanes+1, min(2*lanes+2, patient))
	return min(mostCallers, perReplica*int(s.replicas))
}
