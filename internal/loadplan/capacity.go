package loadplan

import (
	"fmt"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ReportedLoadPercent is the share of the calibrated bound at which mode
// Capacity reports every variant, so that rows compare.
const ReportedLoadPercent = 70

const (
	// intervalSamples is the fewest logins that a p95 has a two-sided 95 %
	// interval from, by order statistics: 0.95^72 is the first below 2.5 %.
	intervalSamples = 72
	// fastestOpen is the API's bound on a rate: what one generator times honestly.
	fastestOpen = 2000 * milli
)

// capacityLoads are the shares of the bound that mode Capacity holds. Above
// 85 % a queue takes minutes to reach its steady state, and a p95 of a hundred
// samples says little.
func capacityLoads() []int32 { return []int32{50, ReportedLoadPercent, 85} }

// capacitySteps holds each share of the bound and then saturates.
func (s service) capacitySteps(spec v1alpha1.SizingTrialSpec) ([]Step, []NotRun) {
	var steps []Step
	var left []NotRun
	for index, percent := range capacityLoads() {
		offered := max(1, s.bound*int64(percent)/100)
		requests := capacityRequests(spec.Load, offered)
		if message := cannotRun(spec.Load, percent, offered, requests); message != "" {
			left = append(left, NotRun{LoadPercent: percent, OfferedMilliPerSecond: offered, Requests: requests,
				Reported: percent == ReportedLoadPercent, Message: message})
			continue
		}
		step := s.open(spec, index, offered, requests)
		step.Callers = min(step.Callers, s.openCallers(offered, s.patience(offered)))
		step.LoadPercent = percent
		step.Reported = percent == ReportedLoadPercent
		steps = append(steps, step)
	}
	return append(steps, s.saturation(spec.Load)), left
}

// patience is how long a login may take, at loads that a service can bear,
// before a step of mode Capacity runs out of callers: twice the time in which
// a queue empties, or the stalls of a few quota periods. Callers for a whole
// timeout would never be needed there, and cost memory.
func (s service) patience(offeredMilli int64) time.Duration {
	empties := 8 * s.interval.Seconds() / (1 - s.utilisation(offeredMilli))
	return 2 * max(3*quotaPeriod, atMost(s.timeout, empties))
}

// capacityRequests is what a step offers: at least as long as a step should
// last, until there are enough samples, within the longest time allowed.
func capacityRequests(load v1alpha1.Load, offeredMilli int64) int {
	perSecond := float64(offeredMilli) / milli
	wanted := max(math.Round(perSecond*float64(load.StepSeconds)), float64(load.MinSamples))
	return int(min(wanted, math.Floor(perSecond*float64(load.MaxStepSeconds))))
}

// fewestSamples is what a step must be able to count to be worth its time. An
// experiment that asks for fewer gets fewer, and no interval.
func fewestSamples(load v1alpha1.Load) int {
	return min(intervalSamples, int(load.MinSamples))
}

// cannotRun says why a step is left out, or nothing.
func cannotRun(load v1alpha1.Load, percent int32, offeredMilli int64, requests int) string {
	switch {
	case offeredMilli > fastestOpen:
		return fmt.Sprintf("%d %% of the bound is %d logins/s, more than the %d/s that one generator times honestly; lower the CPU limit or raise the cost",
			percent, offeredMilli/milli, int64(fastestOpen/milli))
	case requests < fewestSamples(load):
		return fmt.Sprintf("%d %% of the bound offers %d logins in %d s, of the %d that a p95 needs; raise load.maxStepSeconds or the CPU limit, or lower the cost",
			percent, requests, load.MaxStepSeconds, fewestSamples(load))
	default:
		return ""
	}
}
