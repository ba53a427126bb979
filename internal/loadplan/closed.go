package loadplan

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

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
func (s service) closed(kind Kind, purpose v1alpha1.StepPurpose, callers int, counted time.Duration) Step {
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
func (s service) saturation(load v1alpha1.Load) Step {
	callers := s.saturationCallers()
	own := time.Duration(load.StepSeconds) * time.Second
	longest := max(own, time.Duration(load.MaxStepSeconds)*time.Second)
	completions := saturationMargin * float64(max(saturationCompletions, callers))
	counted := max(min(saturationShortest, own), atMost(longest, s.secondsFor(completions)))
	return s.closed(Saturation, v1alpha1.PurposeMaximum, callers, counted)
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
