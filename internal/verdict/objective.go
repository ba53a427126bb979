package verdict

import (
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// outcome is what the step says of the objective.
func (s *step) outcome() v1alpha1.StepOutcome {
	switch {
	case s.Kind == loadplan.Saturation:
		return v1alpha1.StepNotJudged
	case s.overloaded:
		return v1alpha1.StepOverloaded
	case s.failedShare()*1000 > float64(s.objective.MaxErrorPerMille):
		return v1alpha1.StepFailed
	default:
		return byLatency(s.result, int64(s.objective.P95Milliseconds)*1000)
	}
}

// byLatency holds a step's latencies against a limit in microseconds: met when
// the upper end of p95's interval holds it, failed when the lower end does not.
// Too few samples for an interval decide only where every single login held it.
func byLatency(r measurement.StepResult, limit int64) v1alpha1.StepOutcome {
	between := r.P95Interval
	switch {
	case between != nil && between.LowMicroseconds > limit:
		return v1alpha1.StepFailed
	case between != nil && between.HighMicroseconds <= limit:
		return v1alpha1.StepMet
	case r.OK >= samplesForP95 && r.MaxMicroseconds != nil && *r.MaxMicroseconds <= limit:
		return v1alpha1.StepMet
	default:
		return v1alpha1.StepUndecided
	}
}

// capacity is the bracket of rates around the highest that meets the objective.
// With Rates, a rate counts only when all below it met the objective, too.
func (t *trial) capacity() *v1alpha1.Capacity {
	capacity := &v1alpha1.Capacity{Method: v1alpha1.CapacityMeasured}
	switch t.Spec.Load.Mode {
	case v1alpha1.LoadUsers:
		return nil
	case v1alpha1.LoadRates:
		capacity.Method = v1alpha1.CapacityMeasured
	}
	for _, s := range t.steps {
		if s.Kind != loadplan.Open {
			continue
		}
		rate := ptr.To(s.OfferedMilliPerSecond)
		switch s.outcome() {
		case v1alpha1.StepMet:
			capacity.HighestMetMilliPerSecond = rate
			continue
		case v1alpha1.StepFailed, v1alpha1.StepOverloaded:
			capacity.LowestFailedMilliPerSecond = rate
			return capacity
		}
		if t.Spec.Load.Mode == v1alpha1.LoadRates {
			return capacity // undecided: what lies above it proves nothing
		}
	}
	return capacity
}

// highestOffered is the rate of the fastest open step, times 1000.
func (t *trial) highestOffered() int64 {
	var highest int64
	for _, s := range t.steps {
		if s.Kind == loadplan.Open {
			highest = max(highest, s.OfferedMilliPerSecond)
		}
	}
	return highest
}

// objectiveMet tells whether some step met the objective; absent when none was
// decided.
func (t *trial) objectiveMet() *bool {
	var met *bool
	for _, s := range t.steps {
		switch s.outcome() {
		case v1alpha1.StepMet:
			return ptr.To(true)
		case v1alpha1.StepFailed, v1alpha1.StepOverloaded:
			met = ptr.To(false)
		}
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
	}
	if s.LoadPercent > 0 {
		api.LoadPercent = ptr.To(s.LoadPercent)
	}
	if s.Kind == loadplan.Open {
		api.OfferedMilliPerSecond = ptr.To(s.OfferedMilliPerSecond)
	} else {
		api.Users = ptr.To(int32(s.Callers))
	}
	if r.Service != nil {
		api.ServiceHashes = ptr.To(r.Service.Hashes)
	}
	if !s.overloaded {
		addLatencies(&api, r)
	}
	return api
}

func addLatencies(api *v1alpha1.Step, r measurement.StepResult) {
	api.P50Microseconds, api.P95Microseconds = r.P50Microseconds, r.P95Microseconds
	api.P99Microseconds, api.MaxMicroseconds = r.P99Microseconds, r.MaxMicroseconds
	if r.P95Interval != nil && r.P95Microseconds != nil {
		api.P95Interval = &v1alpha1.Interval{
			LowMicroseconds: r.P95Interval.LowMicroseconds, HighMicroseconds: r.P95Interval.HighMicroseconds,
		}
	}
}
