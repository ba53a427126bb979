package verdict

import (
	"math"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/simulation"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// trial is an input with what follows from it at once.
type trial struct {
	Input
	// windows are those of the calibration and of the load, with a speed each.
	windows []speed.Window
	// reference is the speed that everything below is converted to, and hash the CPU
	// time of a hash there, in microseconds; 0 where it is not known.
	reference speed.Reference
	hash      float64
	// calibration as it would have been at the reference speed.
	calibration v1alpha1.TrialCalibration
	// rescale is a planned rate's place at the reference speed ÷ as it was planned.
	rescale float64
	// bound is what the CPU could serve at the reference speed, times 1000.
	bound int64
	// maximum is what the service did serve when saturated, at the reference speed,
	// times 1000; nil when that was not measured.
	maximum *int64
	steps   []*step
	// reported is the step that the row is taken from; nil when it was left out.
	reported *step
	// of is the model of the service, and capacity what it and the steps come to.
	of       modelOf
	capacity capacity
}

// step is a planned step with what came of it.
type step struct {
	loadplan.Step
	result     measurement.StepResult
	objective  v1alpha1.Objective
	overloaded bool

	// cpu is the service's CPU time per login; 0 where that is not known.
	cpu time.Duration
	// hash is the CPU time of a hash in the counted part, in microseconds, and slower
	// the same ÷ that at the reference speed; 0 where they are not known.
	hash, slower float64
	// course is how the speed changed inside the step; nil where it is not known.
	course *simulation.Course
	// nominal is the rate that is the planned share of the bound at the reference
	// speed, times 1000.
	nominal int64
	// latency has the percentiles, and timeError is how sure the time of a hash at the
	// reference speed is.
	latency   [quantiles]quantile
	timeError float64
	// variation is simulated p95 with the speed as it varied ÷ at its mean; 0 where
	// that is not known.
	variation float64
	// rested tells whether the step lasted long enough for a steady state.
	rested bool
	// use is who used the service's CPUs; nil when that was not measured.
	use *cpuUse
	// simulated is what the model makes of the step's own arrivals; nil where it has
	// no say.
	simulated *expectation
	// failures of the step and of the faster ones.
	failures failures
}

func newTrial(in Input, of modelOf) *trial {
	t := &trial{Input: in, of: of}
	t.setReference()
	t.pairSteps()
	t.maximum = t.findMaximum()
	for _, s := range t.steps {
		s.overloaded = s.refusedShare() > overloadedFailures || t.beyondMaximum(s)
		if s.settled() && t.modelled() {
			t.simulate(s)
		}
	}
	t.setFailures()
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
		t.setSpeed(s)
		t.setNominal(s)
		s.use = t.cpuUse(s)
		if planned.Reported {
			t.reported = s
		}
	}
}

// setNominal places a step at the reference speed.
func (t *trial) setNominal(s *step) {
	s.nominal = int64(math.Round(float64(s.OfferedMilliPerSecond) * t.rescale))
	s.timeError = t.timeError()
	s.observe()
	s.rested = t.rests(s)
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

// findMaximum is the throughput of the saturation at the reference speed, or, with
// Users, the highest of all steps.
func (t *trial) findMaximum() *int64 {
	return t.highestThroughput(func(s *step) bool {
		return s.Kind != loadplan.Open && s.result.CompletedInWindow >= completionsForMaximum
	})
}

// highestThroughput is the highest of some steps, at the reference speed.
func (t *trial) highestThroughput(of func(*step) bool) *int64 {
	var highest *int64
	for _, s := range t.steps {
		if rate := s.throughput(); rate != nil && of(s) && (highest == nil || *rate > *highest) {
			highest = rate
		}
	}
	return highest
}

// throughput of the step at the reference speed, times 1000; nil where there is
// none.
func (s *step) throughput() *int64 {
	if s.result.ThroughputMilliPerSecond == nil {
		return nil
	}
	return ptr.To(int64(math.Round(s.factor() * float64(*s.result.ThroughputMilliPerSecond))))
}

// maximumOfOverloaded is the highest throughput of the steps that the service
// could not keep up with; below that, a step only tells what it was offered.
func (t *trial) maximumOfOverloaded() *int64 {
	return t.highestThroughput(func(s *step) bool { return s.overloaded })
}

// beyondMaximum tells whether a step was offered more than the service served at
// the speed of that moment: its maximum, or where that is not known the bound.
func (t *trial) beyondMaximum(s *step) bool {
	limit := t.bound
	if t.maximum != nil {
		limit = *t.maximum
	}
	return s.Kind == loadplan.Open && s.driven() > overloadedShare*float64(limit)
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
