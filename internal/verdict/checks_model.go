package verdict

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// notSteady finds a reported step that was too short for a steady state, or that became slower.
func notSteady(t *trial) []v1beta1.Reason {
	if t.reported == nil || !t.reported.settled() || !modelled(t.Spec.Variant, t.bound) {
		return nil
	}
	return append(tooShort(t), gotSlower(t)...)
}

func tooShort(t *trial) []v1beta1.Reason {
	s := t.reported
	if t.decision.longEnough(s.fact) {
		return nil
	}
	needed, counted := t.decision.relaxation(s.fact)*loadplan.NeededRelaxations(t.Spec), microseconds(s.result.CountedMicroseconds).Seconds()
	return finding(v1beta1.ReasonNotSteady, v1beta1.VerdictSuspect,
		"%s counted logins for %s s, but at that load the queue of this service needs %s s (%g·D/(1−ρ)²) until p95 depends little on how the step began: raise load.capacity.maxStepSeconds or load.stepSeconds, or offer less",
		units.Capital(s.name()), units.Number(counted), units.Number(needed), loadplan.NeededRelaxations(t.Spec))
}

// gotSlower compares the medians of both halves of the reported step. The arrivals of one half can be denser,
// which the simulation of the same arrivals shows as well.
func gotSlower(t *trial) []v1beta1.Reason {
	s := t.reported
	first, second := s.result.FirstHalfP50Microseconds, s.result.SecondHalfP50Microseconds
	if first == nil || second == nil || *first <= 0 || s.simulated == nil || s.simulated.halves <= 0 {
		return nil
	}
	expected := max(1, s.simulated.halves)
	measured := float64(*second) / float64(*first)
	return graded(v1beta1.ReasonNotSteady, measured/expected, halvesSuspect, math.Inf(1),
		"In %s, the median latency of the second half was %s times that of the first half, and %s times in the simulation of the same logins (suspect above %s times the simulated ratio): the service became slower during the step. Measure again on a node where nothing else runs, or with a longer load.warmupSeconds",
		s.name(), units.Ratio(measured), units.Ratio(expected), units.Ratio(halvesSuspect))
}

const (
	disagreementAdvice = "Something that the model does not include used CPU or delayed responses: look for other load on the node, and measure again"
	fasterAdvice       = "The service answered sooner than the model allows: look for replicas that take turns, a quota with burst, and logins that are not hashed"
)

// modelDisagrees finds a measured p95 that differs from the model's for the same logins, a measured capacity
// that contradicts the model, and a CPU quota that the model does not support.
func modelDisagrees(t *trial) []v1beta1.Reason {
	if found := otherQuota(t.Calibration); found != nil && modelled(t.Spec.Variant, t.bound) {
		return found
	}
	if t.decided.contradiction != "" {
		return finding(v1beta1.ReasonModelDisagrees, v1beta1.VerdictSuspect,
			"%s (suspect if prediction and measurement do not overlap). %s", units.Capital(t.decided.contradiction), disagreementAdvice)
	}
	worst, found := t.decision.worstRatio()
	if !found || t.Spec.Service.Own != nil {
		return nil
	}
	allowed, ratio, advice := t.decision.disagreement(worst), worst.unexplained(), disagreementAdvice
	if ratio < 1 {
		advice = fasterAdvice
	}
	return graded(v1beta1.ReasonModelDisagrees, max(ratio, 1/ratio), allowed, math.Inf(1),
		"In %s, p95 was %s times what the model predicts for the same logins, %s to %s (suspect outside %s to %s); the capacity is taken from the measured steps. %s",
		worst.name(), units.Ratio(ratio), rounded(worst.Model.P95LowMicroseconds), rounded(worst.Model.P95HighMicroseconds), units.Ratio(1/allowed), units.Ratio(allowed), advice)
}

// otherQuota finds a CPU quota that works differently from the model's.
func otherQuota(cal handover.Calibration) []v1beta1.Reason {
	difference := quotaInWords(cal)
	if difference == "" {
		return nil
	}
	return finding(v1beta1.ReasonModelDisagrees, v1beta1.VerdictSuspect,
		"%s; predictions may be wrong. Measure on nodes whose kubelet has cpuCFSQuotaPeriod: 100ms, and without CFS burst", units.Capital(difference))
}

// quotaInWords describes how the service's quota differs from the model's; "" if it does not.
func quotaInWords(cal handover.Calibration) string {
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

func rounded(micros int64) time.Duration { return microseconds(micros).Round(time.Millisecond / 10) }

// resolution finds a p95 that is not much larger than the generator's own start lag.
func resolution(t *trial) []v1beta1.Reason {
	if t.reported == nil || !t.reported.settled() {
		return nil
	}
	lag, p95 := t.reported.result.StartLagP95Microseconds, t.reported.result.P95Microseconds
	if lag == nil || p95 == nil || *p95 <= 0 {
		return nil
	}
	share := float64(*lag) / float64(*p95)
	return graded(v1beta1.ReasonResolution, share, resolutionSuspect, math.Inf(1),
		"In %s, one login in twenty was sent %s or more after its due time, which is %s of p95 (suspect above %s): the service is faster than the generator can measure. Raise spec.generator.cpuLimit or the cost",
		t.reported.name(), microseconds(*lag), percent(share), percent(resolutionSuspect))
}
