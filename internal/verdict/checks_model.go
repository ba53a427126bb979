package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// notSteady finds a reported step that was too short for its queue to reach a steady state,
// or whose logins became slower during the step.
func notSteady(t *trial) []v1alpha1.Reason {
	if t.reported == nil || !t.reported.settled() || !t.modelled() {
		return nil
	}
	return append(tooShort(t), gotSlower(t)...)
}

func tooShort(t *trial) []v1alpha1.Reason {
	s := t.reported
	if s.longEnough {
		return nil
	}
	needed, counted := t.relaxation(s)*loadplan.SteadyRelaxations, microseconds(s.result.CountedMicroseconds).Seconds()
	return []v1alpha1.Reason{{
		Type: v1alpha1.ReasonNotSteady, Verdict: v1alpha1.VerdictSuspect,
		Message: fmt.Sprintf("%s counted logins for %s s, but at that load the queue of this service needs %s s (20·D/(1−ρ)²) until p95 no longer depends on how the step began: raise load.maxStepSeconds or load.stepSeconds, or offer less",
			units.Capital(s.name()), units.Number(counted), units.Number(needed)),
	}}
}

// lastsLongEnough reports whether a step settled and lasted long enough for its queue to
// reach a steady state. That is known only for a service that hashes for every login; for
// any other it is true. The step is judged as it would have been at the reference speed,
// because its numbers are converted to that.
func (t *trial) lastsLongEnough(s *step) bool {
	if !t.modelled() || s.Kind != loadplan.Open || s.nominal <= 0 {
		return true
	}
	longer := float64(s.OfferedMilliPerSecond) / float64(s.nominal)
	counted := longer * microseconds(s.result.CountedMicroseconds).Seconds()
	settling := longer * float64(s.SettleMilliseconds) / 1000
	rest := t.relaxation(s) * relaxationsRounding
	return counted >= loadplan.SteadyRelaxations*rest && settling+counted >= (loadplan.SteadyRelaxations+loadplan.SettlingRelaxations)*rest
}

// relaxation returns loadplan.Relaxation at the step's load, in seconds at the reference speed.
func (t *trial) relaxation(s *step) float64 {
	interval := float64(max(1, t.Spec.Service.Replicas)) * 1000 / float64(t.bound)
	return loadplan.Relaxation(interval, float64(s.nominal)/float64(t.bound))
}

// gotSlower compares the medians of both halves of the reported step. The random arrivals
// of one half can be denser than those of the other, which the simulation of the same
// arrivals shows as well.
func gotSlower(t *trial) []v1alpha1.Reason {
	s := t.reported
	first, second := s.result.FirstHalfP50Microseconds, s.result.SecondHalfP50Microseconds
	if first == nil || second == nil || *first <= 0 || s.simulated == nil || s.simulated.halves <= 0 {
		return nil
	}
	expected := max(1, s.simulated.halves)
	measured := float64(*second) / float64(*first)
	return graded(v1alpha1.ReasonNotSteady, measured/expected, halvesSuspect, math.Inf(1),
		"In %s, the median latency of the second half was %s times that of the first half, and %s times in the simulation of the same logins (suspect above %s times the simulated ratio): the service became slower during the step. Measure again on a node where nothing else runs, or with a longer load.warmupSeconds",
		s.name(), units.Ratio(measured), units.Ratio(expected), units.Ratio(halvesSuspect))
}

const disagreementAdvice = "Something that the model does not include used CPU or delayed responses: look for other load on the node, and measure again"

// modelDisagrees finds a measured p95 that differs from the model's for the same logins, a
// measured capacity that contradicts the model, and a CPU quota that the model does not
// support. The capacity is then taken from the measurement. The reason shows that
// something influenced the run that is not in the model.
func modelDisagrees(t *trial) []v1alpha1.Reason {
	if found := otherQuota(t.Calibration); t.modelled() && found != nil {
		return found
	}
	if t.capacity.contradiction != "" {
		return []v1alpha1.Reason{{
			Type: v1alpha1.ReasonModelDisagrees, Verdict: v1alpha1.VerdictSuspect,
			Message: units.Capital(t.capacity.contradiction) + " (suspect if prediction and measurement do not overlap). " + disagreementAdvice,
		}}
	}
	worst := t.worstRatio()
	if worst == nil {
		return nil
	}
	allowed, ratio := t.disagreement(worst), worst.unexplained()
	return graded(v1alpha1.ReasonModelDisagrees, max(ratio, 1/ratio), allowed, math.Inf(1),
		"In %s, p95 was %s times what the model predicts for the same logins, %s to %s (suspect outside %s to %s); the capacity is taken from the measured steps. %s",
		worst.name(), units.Ratio(ratio), rounded(worst.simulated.fastest), rounded(worst.simulated.slowest), units.Ratio(1/allowed), units.Ratio(allowed), disagreementAdvice)
}

// otherQuota finds a CPU quota that works differently from the model's.
func otherQuota(cal v1alpha1.TrialCalibration) []v1alpha1.Reason {
	difference := quotaInWords(cal)
	if difference == "" {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: v1alpha1.ReasonModelDisagrees, Verdict: v1alpha1.VerdictSuspect,
		Message: fmt.Sprintf("%s; predictions may be wrong. Measure on nodes whose kubelet has cpuCFSQuotaPeriod: 100ms, and without CFS burst", units.Capital(difference)),
	}}
}

// quotaInWords describes how the service's quota differs from the model's. It returns "" if
// it does not, or if there is no quota.
func quotaInWords(cal v1alpha1.TrialCalibration) string {
	var differences []string
	if cal.QuotaPeriodMicroseconds > 0 {
		differences = append(differences, fmt.Sprintf("has periods of %s", microseconds(cal.QuotaPeriodMicroseconds)))
	}
	if cal.QuotaBurstMicroseconds > 0 {
		differences = append(differences, fmt.Sprintf("saves up to %s of unused time (CFS burst)", microseconds(cal.QuotaBurstMicroseconds)))
	}
	if len(differences) == 0 {
		return ""
	}
	return "the service's CPU quota " + strings.Join(differences, " and ") + ", but the model supports only periods of 100ms without burst"
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond / 10) }

// disagreement returns how far measured and simulated p95 of a step can differ, as a
// factor. The course of the speed is known only per second, and at a high load each percent
// of it changes p95 by 1 ÷ (1 − ρ) percent.
func (t *trial) disagreement(s *step) float64 {
	allowed := poolDisagrees
	if t.unbounded() {
		allowed = unboundedDisagrees
	}
	if !varies(s.course) {
		return allowed
	}
	unsure := courseDoubt * math.Log(slices.Max(s.course.Factors)/slices.Min(s.course.Factors))
	return allowed * math.Exp(unsure/(1-min(t.utilisation(s), modelledUtilisation)))
}

// worstRatio returns the step whose measured p95 differs most from the simulated one,
// relative to the allowed difference. It looks only at comparable steps and returns nil if
// there is none.
func (t *trial) worstRatio() *step {
	var worst *step
	apart := func(s *step) float64 { return math.Abs(math.Log(s.unexplained())) / math.Log(t.disagreement(s)) }
	for _, s := range t.steps {
		if t.comparable(s) && (worst == nil || apart(s) > apart(worst)) {
			worst = s
		}
	}
	return worst
}

// resolution finds a p95 that is not much larger than the generator's own start lag.
func resolution(t *trial) []v1alpha1.Reason {
	if t.reported == nil || !t.reported.settled() {
		return nil
	}
	lag, p95 := t.reported.result.LagP95Microseconds, t.reported.result.P95Microseconds
	if lag == nil || p95 == nil || *p95 <= 0 {
		return nil
	}
	share := float64(*lag) / float64(*p95)
	return graded(v1alpha1.ReasonResolution, share, resolutionSuspect, math.Inf(1),
		"In %s, one login in twenty was sent %s or more after its due time, which is %s of p95 (suspect above %s): the service is faster than the generator can measure. Raise spec.generator.cpuLimit or the cost",
		t.reported.name(), microseconds(*lag), percent(share), percent(resolutionSuspect))
}
