package verdict

import (
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// outcome returns whether the step meets the objective. It is Undecided if the latency
// meets it, but too few logins show that the error share does.
func (s *step) outcome() v1alpha1.StepOutcome {
	outcome := s.withoutErrors()
	if outcome == v1alpha1.StepMet && !s.failures.show(s.objective) {
		return v1alpha1.StepUndecided
	}
	return outcome
}

// withoutErrors returns whether the step meets the objective, assuming that the error share
// does unless the step shows the opposite. The capacity and objectiveMet follow from it,
// because no step of a usual length can show that only one login in a thousand fails.
func (s *step) withoutErrors() v1alpha1.StepOutcome {
	switch {
	case s.Kind == loadplan.Saturation:
		return v1alpha1.StepNotJudged
	case s.overloaded:
		return v1alpha1.StepOverloaded
	case s.tooManyFailed():
		return v1alpha1.StepFailed
	}
	outcome := s.byLatency()
	if outcome == v1alpha1.StepMet && s.Kind == loadplan.Open && !s.longEnough {
		// A step begins with an empty queue, which makes its latencies too small.
		return v1alpha1.StepUndecided
	}
	return outcome
}

// tooManyFailed reports whether the step shows that more logins fail than the objective
// allows.
func (s *step) tooManyFailed() bool {
	return measurement.AtLeast(s.result.Failures(), s.result.Scheduled)*1000 > float64(s.objective.MaxErrorPerMille)
}

// failures are the logins of some steps, and how many of them failed.
type failures struct{ logins, failed int64 }

// show reports whether the logins show that no more of them fail than the objective allows.
// No number of logins shows that none ever fails, so an objective of 0 is met as long as
// none does.
func (f failures) show(objective v1alpha1.Objective) bool {
	if objective.MaxErrorPerMille == 0 {
		return f.failed == 0
	}
	return f.atMost()*1000 <= float64(objective.MaxErrorPerMille)
}

// atMost returns the upper bound of the share that fails, with 95 % confidence.
func (f failures) atMost() float64 { return measurement.AtMost(f.failed, f.logins) }

func (f failures) api() *v1alpha1.Failures {
	return &v1alpha1.Failures{Logins: f.logins, Failed: f.failed, AtMostPerMillion: int64(math.Ceil(1e6 * f.atMost()))}
}

// setFailures counts for each step its own logins and those of all faster steps that the
// service kept up with. Failures become more frequent at higher rates, so the logins of
// faster steps show at least as much.
func (t *trial) setFailures() {
	for _, s := range t.steps {
		s.failures = failures{logins: s.result.Scheduled, failed: s.result.Failures()}
		for _, faster := range t.steps {
			if s.Kind == loadplan.Open && faster.settled() && faster.nominal > s.nominal {
				s.failures.logins += faster.result.Scheduled
				s.failures.failed += faster.result.Failures()
			}
		}
	}
}

// byLatency compares a step's percentiles with the objective: Failed if one fails, Met if
// all are met.
func (s *step) byLatency() v1alpha1.StepOutcome {
	outcome := v1alpha1.StepMet
	for _, limit := range percentileLimits(s.objective) {
		switch s.byPercentile(limit) {
		case v1alpha1.StepFailed:
			return v1alpha1.StepFailed
		case v1alpha1.StepUndecided:
			outcome = v1alpha1.StepUndecided
		}
	}
	return outcome
}

// byPercentile compares one percentile with its limit: Met if the upper end of its interval
// is within the limit, Failed if the lower end is not. Without an interval, because there
// are too few samples, the step is Met only if every login was within the limit and p95 of
// all runs together would be as well.
func (s *step) byPercentile(limit percentileLimit) v1alpha1.StepOutcome {
	between := s.interval(limit.percentile)
	switch {
	case between != nil && between.LowMicroseconds > limit.micros:
		return v1alpha1.StepFailed
	case between != nil && between.HighMicroseconds <= limit.micros:
		return v1alpha1.StepMet
	case between == nil && limit.percentile == q95 && s.allWithin(limit.micros):
		return v1alpha1.StepMet
	default:
		return v1alpha1.StepUndecided
	}
}

// allWithin reports whether every success was within a limit in microseconds, and p95 of all runs
// together would be.
func (s *step) allWithin(limit int64) bool {
	slowest, p95, latency := s.result.MaxMicroseconds, s.p95(), s.latency[q95]
	if s.result.OK < samplesForP95 || slowest == nil || latency.conversion*float64(*slowest) > float64(limit) {
		return false
	}
	return p95 == nil || latency.spread*float64(*p95) <= float64(limit)
}

// highestOffered returns the rate of the fastest open step at the reference speed, times
// 1000.
func (t *trial) highestOffered() int64 {
	var highest int64
	for _, s := range t.steps {
		if s.Kind == loadplan.Open {
			highest = max(highest, s.nominal)
		}
	}
	return highest
}

// objectiveMet reports whether some rate meets the objective: a step met it, or the model
// places the capacity below the lowest step that failed. It is false if steps failed and no
// rate was found, or if the model finds no rate. It is nil if nothing was decided.
func (t *trial) objectiveMet() *bool {
	var met *bool
	if t.capacity.noRate {
		met = ptr.To(false)
	}
	for _, s := range t.steps {
		switch s.withoutErrors() {
		case v1alpha1.StepMet:
			return ptr.To(true)
		case v1alpha1.StepFailed, v1alpha1.StepOverloaded:
			met = ptr.To(false)
		}
	}
	if c := t.capacity.api; c != nil && c.MilliPerSecond != nil {
		return ptr.To(true)
	}
	return met
}

// api returns the step for the trial's status. It leaves out the latencies of an overloaded
// step, which only show how long the step lasted.
func (s *step) api() v1alpha1.Step {
	r := s.result
	api := v1alpha1.Step{
		Kind: v1alpha1.StepKind(s.Kind), Outcome: s.outcome(), CountedMilliseconds: r.CountedMicroseconds / 1000,
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
	api.Alive = aliveInAPI(r.Alive)
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
	if !s.overloaded {
		s.addLatencies(&api)
	}
	return api
}

func (s *step) addLatencies(api *v1alpha1.Step) {
	r := s.result
	api.P50Microseconds, api.P95Microseconds = r.P50Microseconds, r.P95Microseconds
	api.P99Microseconds, api.MaxMicroseconds = r.P99Microseconds, r.MaxMicroseconds
	api.FirstHalfP50Microseconds, api.SecondHalfP50Microseconds = r.FirstHalfP50Microseconds, r.SecondHalfP50Microseconds
	api.P50Interval, api.P95Interval, api.P99Interval = asAPI(r.P50Interval), asAPI(r.P95Interval), asAPI(r.P99Interval)
	if s.Kind == loadplan.Open {
		api.AtReference = s.stepAtReference()
	}
	if s.simulated != nil {
		api.Model = &v1alpha1.StepModel{
			CPUPerLoginMicroseconds: s.cpu.Microseconds(), P95Microseconds: s.simulated.p95.Microseconds(),
			MeasuredPerMille: ptr.To(int64(math.Round(1000 * s.ratio()))),
		}
	}
}

func aliveInAPI(a *measurement.Alive) *v1alpha1.Alive {
	if a == nil {
		return nil
	}
	return &v1alpha1.Alive{Probes: a.Probes, Failed: a.Failed, FailedInARow: a.FailedInARow, P95Microseconds: a.P95Microseconds}
}

func asAPI(i *measurement.Interval) *v1alpha1.Interval {
	if i == nil {
		return nil
	}
	return &v1alpha1.Interval{LowMicroseconds: i.LowMicroseconds, HighMicroseconds: i.HighMicroseconds}
}
