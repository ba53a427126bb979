package loadplan

import (
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ReportedLoadPercent is the share of the calibrated bound at which mode
// Capacity reports every variant, so that rows compare.
const ReportedLoadPercent = 70

// capacityLoads are the shares of the bound that mode Capacity holds. Above
// 85 % a queue takes minutes to reach its steady state, and a p95 of a hundred
// samples says little.
func capacityLoads() []int32 { return []int32{50, ReportedLoadPercent, 85} }

// predictedIndex stands for the step at the predicted capacity where steps are
// counted, so that its arrivals are its own whichever steps run beside it.
func predictedIndex() int { return len(capacityLoads()) }

// rung is a rate that mode Capacity may hold for a while.
type rung struct {
	// index of the step that draws its arrivals.
	index int
	// percent is its share of the most that may be offered.
	percent int32
	// offered is its rate, times 1000, and requests how many logins that sends.
	offered  int64
	requests int
	// reported and predicted mark the step that the row is taken from and the
	// one at the predicted capacity.
	reported, predicted bool
	// leftOut says why it is not run; empty when it is.
	leftOut string
}

// capacitySteps holds each rung from low to high and then saturates, where the
// generator can.
func (s service) capacitySteps(spec v1alpha1.SizingTrialSpec, prediction *v1alpha1.Prediction) ([]Step, []NotRun) {
	var steps []Step
	var left []NotRun
	for _, r := range s.rungs(spec, prediction) {
		if r.leftOut != "" {
			left = append(left, NotRun{
				LoadPercent: r.percent, OfferedMilliPerSecond: r.offered, Requests: r.requests,
				Reported: r.reported, Predicted: r.predicted, Message: r.leftOut,
			})
			continue
		}
		steps = append(steps, s.hold(spec, r))
	}
	if !s.cheap() {
		steps = append(steps, s.saturation(spec.Load))
	}
	return steps, left
}

// hold makes the step of a rung.
func (s service) hold(spec v1alpha1.SizingTrialSpec, r rung) Step {
	step := s.open(spec, r.index, r.offered, r.requests)
	step.Callers = min(step.Callers, s.openCallers(r.offered, s.patience(r.offered)))
	step.LoadPercent, step.Reported, step.Predicted = r.percent, r.reported, r.predicted
	return step
}

// rungs are the fixed shares and the predicted capacity, from low to high.
func (s service) rungs(spec v1alpha1.SizingTrialSpec, prediction *v1alpha1.Prediction) []rung {
	load := spec.Load
	if spec.Objective.P99Milliseconds > 0 {
		// capacityRequests cuts it to what fits the longest step.
		load.MinSamples = max(load.MinSamples, p99Samples)
	}
	rungs := s.fixedRungs(load, LoginsToShow(spec.Objective.MaxErrorPerMille))
	if prediction == nil || prediction.CapacityMilliPerSecond == nil || s.cheap() {
		return rungs
	}
	rungs = s.addPredicted(rungs, load, *prediction.CapacityMilliPerSecond)
	s.economise(rungs, load, *prediction.CapacityMilliPerSecond)
	slices.SortStableFunc(rungs, func(a, b rung) int { return int(a.offered - b.offered) })
	return rungs
}

// fixedRungs are the fixed shares. The reported one should count as many logins as show
// that few fail, where it has the time.
func (s service) fixedRungs(load v1alpha1.Load, show int) []rung {
	var rungs []rung
	for index, percent := range capacityLoads() {
		r := rung{
			index: index, percent: percent, reported: percent == ReportedLoadPercent,
			offered: max(1, s.most()*int64(percent)/100),
		}
		least := 0
		if r.reported {
			least = s.steadyRequests(r.offered)
			if countedMilliseconds(show, r.offered) <= int64(load.MaxStepSeconds)*milli {
				least = max(least, show)
			}
		}
		r.requests = capacityRequests(load, r.offered, least)
		r.leftOut = s.tooFew(load, r)
		rungs = append(rungs, r)
	}
	return rungs
}

// capacityRequests is what a step offers: at least as long as a step should
// last, until there are enough samples and no fewer than the least, within the
// longest time allowed.
func capacityRequests(load v1alpha1.Load, offeredMilli int64, least int) int {
	perSecond := float64(offeredMilli) / milli
	wanted := max(math.Round(perSecond*float64(load.StepSeconds)), float64(load.MinSamples), float64(least))
	return int(min(wanted, math.Floor(perSecond*float64(load.MaxStepSeconds))))
}

// steadyRequests are due in the time after which a counted part shows a steady
// state: twenty times D/(1−ρ)², about ten relaxation times of the queue.
func (s service) steadyRequests(offeredMilli int64) int {
	return int(math.Ceil(20 * s.relaxation(offeredMilli) * float64(offeredMilli) / milli))
}
