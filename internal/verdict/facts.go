package verdict

import (
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// facts stores what was measured in each step, and what the simulation said of it, beside its plan in
// the trial's status. The outcomes follow from them, except that a step is overloaded.
func (t *trial) facts() []v1beta1.Step {
	stored := t.Plan.InAPI()
	for i, s := range t.steps {
		s.fact = fact{&stored[i]}
		s.store(s.fact.Step)
		if s.Kind == loadplan.Open && t.bound > 0 && s.slower > 0 {
			s.fact.LoadPerMille = ptr.To(int64(math.Round(1000 * s.rateAtReference() / float64(t.bound))))
		}
	}
	return stored
}

func (s *step) store(api *v1beta1.Step) {
	r := s.result
	api.StepResult, api.CountedMilliseconds = r.StepResult, r.CountedMicroseconds/1000
	api.Service, api.Generator, api.Speed = stepCPU(r.Service), stepCPU(r.Generator), s.stepSpeed()
	s.use.fill(api)
	if r.Service != nil {
		api.ServiceHashes = ptr.To(r.Service.Hashes)
	}
	if s.Kind != loadplan.Saturation {
		api.AtReference = &v1beta1.StepAtReference{OfferedMilliPerSecond: s.nominal}
	}
	api.Outcome = "" // the objective decides it
	if s.overloaded {
		api.Outcome = v1beta1.StepOverloaded
		leaveOutLatencies(api)
		return
	}
	s.addAtReference(api)
}

// leaveOutLatencies removes the latencies of an overloaded step, which only show how long it lasted.
func leaveOutLatencies(api *v1beta1.Step) {
	api.P50Microseconds, api.P95Microseconds, api.P99Microseconds, api.MaxMicroseconds = nil, nil, nil, nil
	api.P50Interval, api.P95Interval, api.P99Interval = nil, nil, nil
	api.FirstHalfP50Microseconds, api.SecondHalfP50Microseconds = nil, nil
}

func (s *step) addAtReference(api *v1beta1.Step) {
	if at := api.AtReference; at != nil {
		at.P50Microseconds, at.P50Interval = s.latency[q50].atReference(), s.interval(q50)
		at.P95Microseconds, at.P95Interval = s.latency[q95].atReference(), s.interval(q95)
		at.P99Microseconds, at.P99Interval = s.latency[q99].atReference(), s.interval(q99)
		if spread := s.latency[q95].spread; spread > 0 {
			at.P95SpreadPerMille = ptr.To(int64(math.Round(1000 * spread)))
		}
	}
	if simulated := s.simulated; simulated != nil {
		api.Model = &v1beta1.StepModel{
			CPUPerLoginMicroseconds: s.cpu.Microseconds(), P95Microseconds: simulated.p95.Microseconds(),
			WaitMicroseconds: simulated.logins.wait.Microseconds(), InTurn: simulated.logins.inTurn,
			P95LowMicroseconds: simulated.fastest.Microseconds(), P95HighMicroseconds: simulated.slowest.Microseconds(),
		}
		api.Model.MeasuredPerMille = ptr.To(int64(math.Round(1000 * s.fact.ratio())))
	}
}

func (s *step) stepSpeed() *v1beta1.StepSpeed {
	if s.hash <= 0 || s.slower <= 0 {
		return nil
	}
	status := &v1beta1.StepSpeed{HashMicroseconds: int64(math.Round(s.hash)), PerMille: int64(math.Round(1000 * s.slower))}
	if s.course != nil {
		status.RangePerMille = int64(math.Round(1000 * slices.Max(s.course.Factors) / slices.Min(s.course.Factors)))
	}
	if s.variation > 0 {
		status.VariationPerMille = ptr.To(int64(math.Round(1000 * s.variation)))
	}
	return status
}
