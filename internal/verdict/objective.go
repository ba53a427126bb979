package verdict

import (
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// outcome is Undecided if the latency meets the objective, but too few logins show that the error share does.
func (d *decision) outcome(s fact) v1beta1.StepOutcome {
	outcome := d.withoutErrors(s)
	if outcome == v1beta1.StepMet && !d.failures(s).show(d.spec.Objective) {
		return v1beta1.StepUndecided
	}
	return outcome
}

// withoutErrors is the outcome if the error share meets the objective unless the step shows the opposite.
// The capacity and objectiveMet follow from it, because no step of a usual length can show that only one
// login in a thousand fails.
func (d *decision) withoutErrors(s fact) v1beta1.StepOutcome {
	switch {
	case s.Kind == v1beta1.StepSaturation:
		return v1beta1.StepNotJudged
	case s.overloaded():
		return v1beta1.StepOverloaded
	case d.tooManyFailed(s):
		return v1beta1.StepFailed
	}
	outcome := d.byLatency(s)
	if outcome == v1beta1.StepMet && s.open() && !d.longEnough(s) {
		// A step begins with an empty queue, which makes its latencies too small.
		return v1beta1.StepUndecided
	}
	return outcome
}

// tooManyFailed reports whether the step shows that more logins fail than the objective allows.
func (d *decision) tooManyFailed(s fact) bool {
	return measurement.AtLeast(s.Failures(), s.Scheduled)*1000 > float64(allowed(d.spec.Objective))
}

// allowed returns how many of a thousand logins can fail.
func allowed(objective v1beta1.Objective) int32 {
	return ptr.Deref(objective.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille)
}

// failures are the logins of some steps, and how many of them failed.
type failures struct{ logins, failed int64 }

// show reports whether the logins show that no more of them fail than the objective allows. No number of
// logins shows that none ever fails, so an objective of 0 is met as long as none does.
func (f failures) show(objective v1beta1.Objective) bool {
	if allowed(objective) == 0 {
		return f.failed == 0
	}
	return f.atMost()*1000 <= float64(allowed(objective))
}

func (f failures) atMost() float64 { return measurement.AtMost(f.failed, f.logins) }

func (f failures) api() *v1beta1.Failures {
	return &v1beta1.Failures{Logins: f.logins, Failed: f.failed, AtMostPerMillion: int64(math.Ceil(1e6 * f.atMost()))}
}

// failures counts a step's own logins and those of all faster steps that the service kept up with.
// Failures become more frequent at higher rates, so the logins of faster steps show at least as much.
func (d *decision) failures(s fact) failures {
	all := failures{logins: s.Scheduled, failed: s.Failures()}
	for _, faster := range d.steps {
		if s.open() && faster.settled() && faster.nominal() > s.nominal() {
			all.logins += faster.Scheduled
			all.failed += faster.Failures()
		}
	}
	return all
}

func (d *decision) byLatency(s fact) v1beta1.StepOutcome {
	outcome := v1beta1.StepMet
	for _, limit := range percentileLimits(d.spec.Objective) {
		switch s.byPercentile(limit) {
		case v1beta1.StepFailed:
			return v1beta1.StepFailed
		case v1beta1.StepUndecided:
			outcome = v1beta1.StepUndecided
		}
	}
	return outcome
}

// byPercentile compares one percentile with its limit: Met if the upper end of its interval
// is within the limit, Failed if the lower end is not. Without an interval, because there
// are too few samples, the step is Met only if every login was within the limit and p95 of
// all runs together would be as well.
func (f fact) byPercentile(limit percentileLimit) v1beta1.StepOutcome {
	between := f.interval(limit.percentile)
	switch {
	case between != nil && between.LowMicroseconds > limit.micros:
		return v1beta1.StepFailed
	case between != nil && between.HighMicroseconds <= limit.micros:
		return v1beta1.StepMet
	case between == nil && limit.percentile == q95 && f.allWithin(limit.micros):
		return v1beta1.StepMet
	default:
		return v1beta1.StepUndecided
	}
}

// allWithin reports whether every success was within a limit in microseconds, and p95 of all runs
// together would be.
func (f fact) allWithin(limit int64) bool {
	at := f.AtReference
	if f.OK < samplesForP95 || f.MaxMicroseconds == nil || at == nil || at.P95Microseconds == nil {
		return false
	}
	conversion := float64(*at.P95Microseconds) / float64(max(1, *f.P95Microseconds))
	spread := float64(ptr.Deref(at.P95SpreadPerMille, 0)) / 1000
	return conversion*float64(*f.MaxMicroseconds) <= float64(limit) && spread*float64(*at.P95Microseconds) <= float64(limit)
}

func (d *decision) highestOffered() int64 {
	var highest int64
	for _, s := range d.steps {
		if s.open() {
			highest = max(highest, s.nominal())
		}
	}
	return highest
}

// objectiveMet reports whether some rate meets the objective: a step met it, or the model
// places the capacity below the lowest step that failed. It is false if steps failed and no
// rate was found, or if the model finds no rate. It is nil if nothing was decided.
func (d *decision) objectiveMet(decided capacity) *bool {
	var met *bool
	if decided.noRate {
		met = ptr.To(false)
	}
	for _, s := range d.steps {
		switch d.withoutErrors(s) {
		case v1beta1.StepMet:
			return ptr.To(true)
		case v1beta1.StepFailed, v1beta1.StepOverloaded:
			met = ptr.To(false)
		}
	}
	if c := decided.api; c != nil && c.MilliPerSecond != nil {
		return ptr.To(true)
	}
	return met
}
