package loadplan

import (
	"math"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// ReportedLoadPercent is the share of the calibrated bound at which mode Capacity reports
// every variant, so that rows can be compared.
const ReportedLoadPercent = 70

// capacityLoads returns all fixed shares of the bound with load.capacity. Above 85 %, a queue
// takes minutes to reach its steady state, and p95 of a hundred samples means little.
func capacityLoads() []int32 { return []int32{50, ReportedLoadPercent, 85} }

// ShortestModelled is the CPU time per login from which hashing dominates latency, and the model can be used: the delays
// of the network and the generator are about a millisecond together.
const ShortestModelled = 2 * time.Millisecond

// worth reports whether a fixed share is driven. If the capacity follows from the model, the reported share shows
// whether the model applies, and others would change nothing but that 85 % shows unequal replicas. Otherwise the
// capacity is between the shares that meet the objective and those that don't.
func (s service) worth(percent int32) bool {
	return !s.modelled || percent == ReportedLoadPercent || percent > ReportedLoadPercent && s.replicas > 1
}

// predictedIndex returns the index of the step at the predicted capacity, so that its
// arrivals do not depend on the other steps.
func predictedIndex() int { return len(capacityLoads()) }

// heldRate is a rate that mode Capacity can hold for a step, and its index, from which its
// arrivals follow. It is run if it has no message.
type heldRate struct {
	index int
	NotRun
}

func (s service) capacitySteps(spec v1beta1.SizingTrialSpec, prediction *v1beta1.Prediction) ([]Step, []NotRun) {
	var steps []Step
	var left []NotRun
	for _, r := range s.ratesToHold(spec, prediction) {
		if r.Message == "" {
			steps = append(steps, s.hold(spec, r))
		} else {
			left = append(left, r.NotRun)
		}
	}
	if !s.generatorLimited() {
		steps = append(steps, s.saturation(spec.Load))
	}
	return steps, left
}

func (s service) hold(spec v1beta1.SizingTrialSpec, r heldRate) Step {
	step := s.open(spec, v1beta1.PurposeCapacity, r.index, r.OfferedMilliPerSecond, r.Requests)
	step.Callers = min(step.Callers, s.openCallers(r.OfferedMilliPerSecond, s.patience(r.OfferedMilliPerSecond)))
	step.LoadPercent, step.Reported, step.Predicted = r.LoadPercent, r.Reported, r.Predicted
	return step
}

// ratesToHold returns the fixed shares and the predicted capacity, from low to high.
func (s service) ratesToHold(spec v1beta1.SizingTrialSpec, prediction *v1beta1.Prediction) []heldRate {
	load, show, relaxations := spec.Load, LoginsToShow(ptr.Deref(spec.Objective.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille)), float64(SteadyRelaxations)
	if spec.Role == v1beta1.RoleDecision {
		show, relaxations = 0, plannedForDecision // the verification shows it
	}
	if spec.Objective.P99Milliseconds != nil {
		// capacityRequests returns the logins of a step that keeps the load's limits and has a least number.
		load = withLimits(load, max(load.MinSamples(), p99Samples), load.MaxStepSeconds())
	}
	rates := s.fixedRates(load, show, relaxations)
	if s.modelled || prediction == nil || prediction.CapacityMilliPerSecond == nil || s.generatorLimited() {
		return rates
	}
	rates = s.addPredicted(rates, load, *prediction.CapacityMilliPerSecond)
	s.keepWithinBudget(rates, load, *prediction.CapacityMilliPerSecond)
	slices.SortStableFunc(rates, func(a, b heldRate) int { return int(a.OfferedMilliPerSecond - b.OfferedMilliPerSecond) })
	return rates
}

// withLimits returns the load with other limits for its steps.
func withLimits(load v1beta1.Load, minSamples, maxStepSeconds int32) v1beta1.Load {
	capacity := ptr.Deref(load.Capacity, v1beta1.CapacityLoad{})
	capacity.MinSamples, capacity.MaxStepSeconds = &minSamples, &maxStepSeconds
	load.Capacity = &capacity
	return load
}

// fixedRates returns the fixed shares. The reported one should count as many logins as show
// that few fail, if there is time.
func (s service) fixedRates(load v1beta1.Load, show int, relaxations float64) []heldRate {
	var rates []heldRate
	for index, percent := range capacityLoads() {
		if !s.worth(percent) {
			continue
		}
		offered := max(1, s.highestRate()*int64(percent)/100)
		r := heldRate{index, NotRun{LoadPercent: percent, OfferedMilliPerSecond: offered, Reported: percent == ReportedLoadPercent}}
		least := 0
		if r.Reported {
			least = s.steadyRequests(offered, relaxations)
			if countedMilliseconds(show, offered) <= int64(load.MaxStepSeconds())*milli {
				least = max(least, show)
			}
		}
		r.Requests = capacityRequests(load, offered, least)
		r.Message = s.tooFew(load, r)
		rates = append(rates, r)
	}
	return rates
}

// capacityRequests returns the number of logins of a step. The step lasts at least
// load.stepSeconds, and has at least load.capacity.minSamples and the given least number, but
// is never longer than load.capacity.maxStepSeconds.
func capacityRequests(load v1beta1.Load, offeredMilli int64, least int) int {
	perSecond := float64(offeredMilli) / milli
	wanted := max(math.Round(perSecond*float64(load.StepSeconds)), float64(load.MinSamples()), float64(least))
	return int(min(wanted, math.Floor(perSecond*float64(load.MaxStepSeconds()))))
}

// steadyRequests returns the logins that are due in a counted part of so many relaxations.
func (s service) steadyRequests(offeredMilli int64, relaxations float64) int {
	return int(math.Ceil(relaxations * s.relaxation(offeredMilli) * float64(offeredMilli) / milli))
}
