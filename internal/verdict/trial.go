package verdict

import (
	"math"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// trial is an input with what follows from it.
type trial struct {
	Input
	// windows of the calibration and of the load, each with a speed.
	windows []speed.Window
	// reference is the speed that everything below is converted to, and hash the CPU time of the
	// variant's hash at that speed on an idle service, in microseconds. Both are 0 if unknown.
	reference, hash float64
	// load is by how much the load made hashes slower.
	load underLoad
	// calibration as it would have been at the reference speed, of the idle service.
	calibration handover.Calibration
	// rescale is the factor that converts a planned rate to the reference speed.
	rescale float64
	// bound is the CPU-bound rate at the reference speed, times 1000.
	bound int64
	// maximum is the throughput of the saturated service at the reference speed, times
	// 1000; nil if it was not measured.
	maximum *int64
	steps   []*step
	// reported is the step that the row is taken from; nil if it was left out.
	reported *step
	// wait is how long logins wait for something else than the service's CPU, once it is known.
	wait      time.Duration
	waitKnown bool
	// inTurn means that the replicas take turns.
	inTurn bool
	// newModel returns the model of the service.
	newModel modelOf
	// decided is the capacity, by decision. Both follow from what is stored of the steps.
	decision *decision
	decided  capacity
}

// step is a planned step with its result, and the fact that is stored of both.
type step struct {
	loadplan.Step
	fact       fact
	result     measurement.StepResult
	overloaded bool

	// cpu is the service's CPU time per login; 0 if unknown.
	cpu time.Duration
	// hash is the CPU time of a hash in the counted part, in microseconds. slower is hash ÷
	// that at the reference speed under as much load. Both are 0 if unknown.
	hash, slower float64
	// course is how the speed changed during the step; nil if unknown.
	course *model.Course
	// nominal is the rate that is the planned share of the bound at the reference
	// speed, times 1000.
	nominal int64
	// latency has the percentiles. timeError is the error of the hash time at the
	// reference speed.
	latency   [quantiles]quantile
	timeError float64
	// variation is simulated p95 with the speed as it varied ÷ at its mean; 0 if unknown.
	variation float64
	// use is how the service's CPUs were used; nil if that was not measured.
	use *cpuUse
	// simulated is what the model gives for the step's own arrivals; nil without the model.
	simulated *simulation
}

func newTrial(in Input, newModel modelOf) *trial {
	t := &trial{Input: in, newModel: newModel}
	t.setUnderLoad()
	t.setReference()
	for i, planned := range t.Plan.WithoutWarmup() {
		if i < len(t.Run.Steps) {
			t.addStep(planned, t.Run.Steps[i])
		}
	}
	// In mode Users, the maximum is the highest throughput of all steps.
	t.maximum = t.highestThroughput(func(s *step) bool {
		return s.Kind != loadplan.Open && s.result.CompletedInWindow >= completionsForMaximum
	})
	for _, s := range t.steps {
		// Logins that were never sent are the fault of the generator, not of the service.
		refused := s.share(s.result.Failures() - s.result.NeverSent)
		s.overloaded = refused > overloadedFailures || t.beyondMaximum(s)
	}
	t.simulateAll()
	if !t.planned(v1beta1.PurposeMaximum) && (t.planned(v1beta1.PurposeRate) || t.planned(v1beta1.PurposeVerification)) {
		// In any other step, the throughput only shows the offered rate.
		t.maximum = t.highestThroughput(func(s *step) bool { return s.overloaded })
	}
	return t
}

func (t *trial) addStep(planned loadplan.Step, result measurement.StepResult) {
	s := &step{Step: planned, result: result, timeError: t.load.timeError(t.Calibration)}
	t.setSpeed(s)
	s.nominal = int64(math.Round(float64(s.OfferedMilliPerSecond) * t.rescale))
	s.observe()
	s.use = t.cpuUse(s)
	t.steps = append(t.steps, s)
	if planned.Reported {
		t.reported = s
	}
}

func (t *trial) planned(purpose v1beta1.StepPurpose) bool {
	return slices.ContainsFunc(t.Plan.Steps, func(s loadplan.Step) bool { return s.Purpose == purpose })
}

// highestThroughput returns the highest throughput of the matching steps, at the reference speed.
func (t *trial) highestThroughput(matches func(*step) bool) *int64 {
	var highest *int64
	for _, s := range t.steps {
		if rate := s.throughput(); rate != nil && matches(s) && (highest == nil || *rate > *highest) {
			highest = rate
		}
	}
	return highest
}

// throughput returns the step's throughput at the reference speed, times 1000; nil if it has none.
func (s *step) throughput() *int64 {
	if s.result.ThroughputMilliPerSecond == nil {
		return nil
	}
	return ptr.To(int64(math.Round(s.factor() * float64(*s.result.ThroughputMilliPerSecond))))
}

// beyondMaximum reports whether a step was offered more than the service could serve at the step's speed.
func (t *trial) beyondMaximum(s *step) bool {
	limit := t.bound
	if t.maximum != nil {
		limit = *t.maximum
	}
	return s.Kind == loadplan.Open && s.rateAtReference() > overloadedShare*float64(limit)
}

// share returns some logins as a share of those that were scheduled.
func (s *step) share(logins int64) float64 {
	if s.result.Scheduled == 0 {
		return 0
	}
	return float64(logins) / float64(s.result.Scheduled)
}

// settled reports whether the latencies of an open step are meaningful. Those of an
// overloaded step only show how long it lasted.
func (s *step) settled() bool { return s.Kind == loadplan.Open && !s.overloaded }
