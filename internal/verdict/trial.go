package verdict

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// trial is an input with what follows from it at once.
type trial struct {
	Input
	// bound is what the CPU could serve, times 1000.
	bound int64
	// maximum is what the service did serve when saturated, times 1000; nil when
	// that was not measured.
	maximum *int64
	steps   []*step
	// reported is the step that the row is taken from; nil when it was left out.
	reported *step
	// of is the model of the service, and capacity what it and the steps come to.
	of       modelOf
	capacity capacity
	// use is who used the service's CPUs there; nil when that was not measured.
	use *cpuUse
}

// step is a planned step with what came of it.
type step struct {
	loadplan.Step
	result     measurement.StepResult
	objective  v1alpha1.Objective
	overloaded bool

	// cpu is the service's CPU time per login; 0 where that is not known.
	cpu time.Duration
	// simulated is what the model makes of the step's own arrivals; nil where it has
	// no say.
	simulated *expectation
	// spread of p95 from run to run; nil where it is not known.
	spread *spread
}

func newTrial(in Input, of modelOf) *trial {
	t := &trial{
		Input: in, of: of,
		bound: loadplan.BoundMilliPerSecond(in.Spec.Service.Replicas, in.Spec.Variant, in.Calibration),
	}
	t.pairSteps()
	t.use = t.cpuUse()
	t.maximum = t.findMaximum()
	for _, s := range t.steps {
		s.overloaded = s.refusedShare() > overloadedFailures || t.beyondMaximum(s)
		if s.settled() && t.modelled() {
			s.simulate(of)
		}
	}
	if t.Spec.Load.Mode == v1alpha1.LoadRates {
		t.maximum = t.maximumOfOverloaded()
	}
	t.capacity = t.decideCapacity()
	return t
}

// pairSteps puts each planned step beside its result. The warm-up has none.
func (t *trial) pairSteps() {
	results := t.Run.Steps
	for _, planned := range t.Plan.Steps {
		if planned.Kind == loadplan.Warmup || len(results) == 0 {
			continue
		}
		s := &step{Step: planned, result: results[0], objective: t.Spec.Objective}
		results = results[1:]
		t.steps = append(t.steps, s)
		if planned.Reported {
			t.reported = s
		}
	}
}

// plannedSteps counts the steps that have a result, all but the warm-up.
func (t *trial) plannedSteps() int {
	planned := 0
	for _, s := range t.Plan.Steps {
		if s.Kind != loadplan.Warmup {
			planned++
		}
	}
	return planned
}

// findMaximum is the throughput of the saturation, or, with Users, the highest
// of all steps.
func (t *trial) findMaximum() *int64 {
	var highest *int64
	for _, s := range t.steps {
		rate := s.result.ThroughputMilliPerSecond
		if rate == nil || s.Kind == loadplan.Open || s.result.CompletedInWindow < completionsForMaximum {
			continue
		}
		if highest == nil || *rate > *highest {
			highest = rate
		}
	}
	return highest
}

// maximumOfOverloaded is the highest throughput of the steps that the service
// could not keep up with; below that, a step only tells what it was offered.
func (t *trial) maximumOfOverloaded() *int64 {
	var highest *int64
	for _, s := range t.steps {
		rate := s.result.ThroughputMilliPerSecond
		if s.overloaded && rate != nil && (highest == nil || *rate > *highest) {
			highest = rate
		}
	}
	return highest
}

// beyondMaximum tells whether a step was offered more than the service serves:
// its measured maximum, or where that is not known the calibrated bound.
func (t *trial) beyondMaximum(s *step) bool {
	limit := t.bound
	if t.maximum != nil {
		limit = *t.maximum
	}
	return s.Kind == loadplan.Open && float64(s.OfferedMilliPerSecond) > overloadedShare*float64(limit)
}

// failedShare is the error share: all scheduled logins that got no 200.
func (s *step) failedShare() float64 { return s.share(s.result.Failures()) }

// refusedShare leaves out the logins that were never sent: they say something
// of the generator, and must not make its shortage look like the service's.
func (s *step) refusedShare() float64 { return s.share(s.result.Failures() - s.result.NeverSent) }

func (s *step) share(logins int64) float64 {
	if s.result.Scheduled == 0 {
		return 0
	}
	return float64(logins) / float64(s.result.Scheduled)
}

// settled tells whether an open step's latencies say something: the others are
// overloaded, and tell only how long they were driven.
func (s *step) settled() bool { return s.Kind == loadplan.Open && !s.overloaded }
