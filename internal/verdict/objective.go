package verdict

import (
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// outcome is what the step says of the objective. Where its latency holds it, but too few
// logins show that no more fail than may, it is Undecided.
func (s *step) outcome() v1alpha1.StepOutcome {
	outcome := s.withoutErrors()
	if outcome == v1alpha1.StepMet && !s.failures.show(s.objective) {
		return v1alpha1.StepUndecided
	}
	return outcome
}

// withoutErrors is what the step says of the objective if as few logins fail as may,
// unless it shows that more do. The capacity, and whether the objective can be met, follow
// from it: no step of a usual length could show that one login in a thousand fails.
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
	if outcome == v1alpha1.StepMet && s.Kind == loadplan.Open && !s.rested {
		// Steps that begin with an empty queue flatter.
		return v1alpha1.StepUndecided
	}
	return outcome
}

// tooManyFailed reports whether the step shows that more logins fail than may.
func (s *step) tooManyFailed() bool {
	return measurement.AtLeast(s.result.Failures(), s.result.Scheduled)*1000 > float64(s.objective.MaxErrorPerMille)
}

// failures are the logins of some steps, and how many of them failed.
type failures struct{ logins, failed int64 }

// show reports whether the logins show that no more fail than may. No number of logins
// shows that none ever fails, so an objective of 0 holds as long as none does.
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

// setFailures counts for each step the logins of itself and of all faster ones that the
// service kept up with. Failures become more frequent at faster rates, so the logins of
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

// byLatency holds a step's percentiles against the objective: failed when one does not
// hold it, met when all do.
func (s *step) byLatency() v1alpha1.StepOutcome {
	outcome := v1alpha1.StepMet
	for _, p := range promises(s.objective) {
		switch s.byPercentile(p) {
		case v1alpha1.StepFailed:
			return v1alpha1.StepFailed
		case v1alpha1.StepUndecided:
			outcome = v1alpha1.StepUndecided
		}
	}
	return outcome
}

// byPercentile holds one percentile against its limit: met when the upper end of its
// interval holds it, failed when the lower end does not. Too few samples for an interval
// decide only where every single login held it, and the percentile of another run would
// as well.
func (s *step) byPercentile(p promise) v1alpha1.StepOutcome {
	between := s.interval(p.of)
	switch {
	case between != nil && between.LowMicroseconds > p.longest:
		return v1alpha1.StepFailed
	case between != nil && between.HighMicroseconds <= p.longest:
		return v1alpha1.StepMet
	case between == nil && p.of == q95 && s.allHeld(p.longest):
		return v1alpha1.StepMet
	default:
		return v1alpha1.StepUndecided
	}
}

// allHeld tells whether every success held a limit, and p95 of a rerun would.
func (s *step) allHeld(limit int64) bool {
	slowest, p95, of := s.result.MaxMicroseconds, s.p95(), s.latency[q95]
	if s.result.OK < samplesForP95 || slowest == nil || of.conversion*float64(*slowest) > float64(limit) {
		return false
	}
	return of.spread == nil || p95 == nil || of.spread.high*float64(*p95) <= float64(limit)
}

// highestOffered is the rate of the fastest open step at the reference speed, times
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

// objectiveMet tells whether some rate meets the objective: a step did, or the
// model places the capacity below the lowest step that failed. It is false where
// steps failed and no rate was found, and where the model finds none; absent
// when nothing was decided.
func (t *trial) objectiveMet() *bool {
	var met *bool
	if t.capacity.denied {
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

// api is the step as the trial's status shows it. Latencies of an overloaded
// step are left out: they tell only how long it was driven.
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
	}
	s.use.fill(&api)
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

func asAPI(i *measurement.Interval) *v1alpha1.Interval {
	if i == nil {
		return nil
	}
	return &v1alpha1.Interval{LowMicroseconds: i.LowMicroseconds, HighMicroseconds: i.HighMicroseconds}
}
