package verdict

import (
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// facts stores what was measured in each step, and what the simulation said of it, as the trial's
// status has it: the steps that were run, followed by those that the plan left out. The outcomes of
// the former follow from them, except that a step is overloaded.
func (t *trial) facts() []v1alpha1.Step {
	stored := make([]v1alpha1.Step, 0, len(t.steps)+len(t.Plan.NotRun))
	for _, s := range t.steps {
		stored = append(stored, s.facts())
		s.fact = fact{&stored[len(stored)-1]}
		if s.Kind == loadplan.Open && t.bound > 0 && s.slower > 0 {
			s.fact.LoadPerMille = ptr.To(int64(math.Round(1000 * s.driven() / float64(t.bound))))
		}
	}
	for _, left := range t.Plan.NotRun {
		stored = append(stored, v1alpha1.Step{
			Kind: v1alpha1.StepOpen, Purpose: v1alpha1.PurposeCapacity, Outcome: v1alpha1.StepNotRun,
			LoadPercent: ptr.To(left.LoadPercent), OfferedMilliPerSecond: ptr.To(left.OfferedMilliPerSecond),
		})
	}
	return stored
}

// facts returns the step for the trial's status. It leaves out the latencies of an overloaded
// step, which only show how long the step lasted.
func (s *step) facts() v1alpha1.Step {
	r := s.result
	api := v1alpha1.Step{
		Kind: v1alpha1.StepKind(s.Kind), Purpose: s.Purpose, CountedMilliseconds: r.CountedMicroseconds / 1000,
		Scheduled: r.Scheduled, OK: r.OK, Refused: r.Refused, TimedOut: r.TimedOut,
		OtherErrors: r.OtherErrors, Cut: r.Cut, NeverSent: r.NeverSent,
		ThroughputMilliPerSecond: r.ThroughputMilliPerSecond,
		StartLagP95Microseconds:  r.LagP95Microseconds,
		StartLagP99Microseconds:  r.LagP99Microseconds,
		Service:                  stepCPU(r.Service),
		Generator:                stepCPU(r.Generator),
		Speed:                    s.stepSpeed(),
		Reported:                 s.Reported, Plan: s.InAPI(),
	}
	s.use.fill(&api)
	api.Alive = r.Alive
	if s.LoadPercent > 0 {
		api.LoadPercent = ptr.To(s.LoadPercent)
	}
	api.SlowerThanP50, api.SlowerThanP95, api.SlowerThanP99 = r.SlowerThanP50, r.SlowerThanP95, r.SlowerThanP99
	if s.Kind == loadplan.Open {
		api.OfferedMilliPerSecond = ptr.To(s.OfferedMilliPerSecond)
	} else {
		api.Users = ptr.To(int32(s.Callers))
	}
	if r.Service != nil {
		api.ServiceHashes = ptr.To(r.Service.Hashes)
	}
	if s.Kind != loadplan.Saturation {
		api.AtReference = &v1alpha1.StepAtReference{OfferedMilliPerSecond: s.nominal}
	}
	if s.overloaded {
		api.Outcome = v1alpha1.StepOverloaded
	} else {
		s.addLatencies(&api)
	}
	return api
}

func (s *step) addLatencies(api *v1alpha1.Step) {
	r := s.result
	api.P50Microseconds, api.P95Microseconds = r.P50Microseconds, r.P95Microseconds
	api.P99Microseconds, api.MaxMicroseconds = r.P99Microseconds, r.MaxMicroseconds
	api.FirstHalfP50Microseconds, api.SecondHalfP50Microseconds = r.FirstHalfP50Microseconds, r.SecondHalfP50Microseconds
	api.P50Interval, api.P95Interval, api.P99Interval = r.P50Interval, r.P95Interval, r.P99Interval
	if at := api.AtReference; at != nil {
		at.P50Microseconds, at.P50Interval = s.latency[q50].atReference(), s.interval(q50)
		at.P95Microseconds, at.P95Interval = s.latency[q95].atReference(), s.interval(q95)
		at.P99Microseconds, at.P99Interval = s.latency[q99].atReference(), s.interval(q99)
		if spread := s.latency[q95].spread; spread > 0 {
			at.P95SpreadPerMille = ptr.To(int64(math.Round(1000 * spread)))
		}
	}
	if simulated := s.simulated; simulated != nil {
		api.Model = &v1alpha1.StepModel{
			CPUPerLoginMicroseconds: s.cpu.Microseconds(), P95Microseconds: simulated.p95.Microseconds(),
			P95LowMicroseconds: simulated.fastest.Microseconds(), P95HighMicroseconds: simulated.slowest.Microseconds(),
		}
		api.Model.MeasuredPerMille = ptr.To(int64(math.Round(1000 * fact{api}.ratio())))
	}
}

// stepSpeed returns the speed for a step's status, or nil if it is unknown.
func (s *step) stepSpeed() *v1alpha1.StepSpeed {
	if s.hash <= 0 || s.slower <= 0 {
		return nil
	}
	status := &v1alpha1.StepSpeed{HashMicroseconds: int64(math.Round(s.hash)), PerMille: int64(math.Round(1000 * s.slower))}
	if s.course != nil {
		status.RangePerMille = int64(math.Round(1000 * slices.Max(s.course.Factors) / slices.Min(s.course.Factors)))
	}
	if s.variation > 0 {
		status.VariationPerMille = ptr.To(int64(math.Round(1000 * s.variation)))
	}
	return status
}
