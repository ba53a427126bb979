package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// notSteady: the reported step was too short for its queue to come to rest, or
// its logins got slower while it lasted.
func notSteady(t *trial) []v1alpha1.Reason {
	if t.reported == nil || !t.reported.settled() || !t.modelled() {
		return nil
	}
	return append(tooShort(t), gotSlower(t)...)
}

func tooShort(t *trial) []v1alpha1.Reason {
	s := t.reported
	if s.rested {
		return nil
	}
	needed, counted := t.relaxation(s)*relaxations, microseconds(s.result.CountedMicroseconds).Seconds()
	return []v1alpha1.Reason{{
		Type: NotSteady, Verdict: v1alpha1.VerdictSuspect,
		Message: fmt.Sprintf("%s counted %.3g s, and the queue of this service at that load needs %.3g s (20·D/(1−ρ)²) before p95 no longer depends on how it began; raise load.maxStepSeconds or load.stepSeconds, or offer less",
			capital(s.name()), counted, needed),
	}}
}

// rests tells whether a step settled and lasted long enough for its queue to come
// to rest, which is known only of a service whose logins all hash. What is asked is
// whether the step at the reference speed would have: that is what the numbers are
// converted to.
func (t *trial) rests(s *step) bool {
	if !t.modelled() || s.Kind != loadplan.Open || s.nominal <= 0 {
		return true
	}
	longer := float64(s.OfferedMilliPerSecond) / float64(s.nominal)
	counted := longer * microseconds(s.result.CountedMicroseconds).Seconds()
	settling := longer * float64(s.SettleMilliseconds) / 1000
	rest := t.relaxation(s) * relaxationsRounding
	return counted >= relaxations*rest && settling+counted >= (relaxations+settlingRelaxations)*rest
}

// relaxation is D/(1−ρ)² at the step's load, in seconds at the reference speed: about
// half of the time in which an M/D/1 queue forgets how it began, and endless without a
// steady state.
func (t *trial) relaxation(s *step) float64 {
	idle := 1 - float64(s.nominal)/float64(t.bound)
	if idle <= 0 {
		return math.Inf(1)
	}
	interval := float64(max(1, t.Spec.Service.Replicas)) * 1000 / float64(t.bound)
	return interval / (idle * idle)
}

// gotSlower holds the medians of both halves against each other. The arrivals of
// one half may by chance be denser than those of the other, which the simulation
// of the same arrivals shows as well.
func gotSlower(t *trial) []v1alpha1.Reason {
	s := t.reported
	first, second := s.result.FirstHalfP50Microseconds, s.result.SecondHalfP50Microseconds
	if first == nil || second == nil || *first <= 0 || s.simulated == nil || s.simulated.halves <= 0 {
		return nil
	}
	expected := max(1, s.simulated.halves)
	seen := float64(*second) / float64(*first)
	return graded(NotSteady, seen/expected, halvesSuspect, math.Inf(1),
		"In %s the median latency of the second half was %.3g times that of the first, and %.3g times in the simulation of the same logins (suspect from %g times that on): the service got slower while it was measured. Measure again on a node where nothing else runs, or with a longer load.warmupSeconds",
		s.name(), seen, expected, halvesSuspect)
}

const disagreementAdvice = "Something took CPU or delayed answers that the model does not know of: look for other load on the node, and measure again"

// modelDisagrees: what was measured is not what the model makes of the same
// logins, or the capacity lies elsewhere than it says. Measurement decides; the
// reason tells that something was at work that the model does not know of, as another
// quota is from the first.
func modelDisagrees(t *trial) []v1alpha1.Reason {
	if found := otherQuota(t.Calibration); t.modelled() && found != nil {
		return found
	}
	if t.capacity.contradiction != "" {
		return []v1alpha1.Reason{{
			Type: ModelDisagrees, Verdict: v1alpha1.VerdictSuspect,
			Message: capital(t.capacity.contradiction) + " (suspect where the two do not overlap). " + disagreementAdvice,
		}}
	}
	worst := t.worstRatio()
	if worst == nil {
		return nil
	}
	allowed, ratio := t.disagreement(worst), worst.unexplained()
	return graded(ModelDisagrees, max(ratio, 1/ratio), allowed, math.Inf(1),
		"In %s p95 was %.3g times what the model makes of the same logins, %s to %s (suspect outside %.3g to %.3g); measurement decides. %s",
		worst.name(), ratio, rounded(worst.simulated.fastest), rounded(worst.simulated.slowest), 1/allowed, allowed, disagreementAdvice)
}

// otherQuota: the kernel doles the quota out in another way than the model has it.
func otherQuota(cal v1alpha1.TrialCalibration) []v1alpha1.Reason {
	how := quotaInWords(cal)
	if how == "" {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: ModelDisagrees, Verdict: v1alpha1.VerdictSuspect,
		Message: fmt.Sprintf("%s; what follows from the model may be off. Measure on nodes whose kubelet has cpuCFSQuotaPeriod: 100ms, and where nothing sets a burst", capital(how)),
	}}
}

// quotaInWords says how the service's quota is another than the model's; empty where
// it is not, or there is none.
func quotaInWords(cal v1alpha1.TrialCalibration) string {
	var ways []string
	if cal.QuotaPeriodMicroseconds > 0 {
		ways = append(ways, fmt.Sprintf("has periods of %s", microseconds(cal.QuotaPeriodMicroseconds)))
	}
	if cal.QuotaBurstMicroseconds > 0 {
		ways = append(ways, fmt.Sprintf("saves up to %s of unused time (CFS burst)", microseconds(cal.QuotaBurstMicroseconds)))
	}
	if len(ways) == 0 {
		return ""
	}
	return "the service's CPU quota " + strings.Join(ways, " and ") + ", and the model knows periods of 100ms without a burst only"
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond / 10) }

// disagreement is how far measured and simulated p95 of a step may lie apart, as a
// factor. The course of the speed is known second by second only, and where the load
// is high, p95 follows each percent of it by 1 ÷ (1 − ρ) percent.
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

// worstRatio is the step whose measured p95 lies furthest from the simulated one,
// relative to how far it may, of those in which the two ought to agree; nil where
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

// resolution: p95 of the reported step is hardly larger than what the generator
// itself was late by.
func resolution(t *trial) []v1alpha1.Reason {
	if t.reported == nil || !t.reported.settled() {
		return nil
	}
	lag, p95 := t.reported.result.LagP95Microseconds, t.reported.result.P95Microseconds
	if lag == nil || p95 == nil || *p95 <= 0 {
		return nil
	}
	share := float64(*lag) / float64(*p95)
	return graded(Resolution, share, resolutionSuspect, math.Inf(1),
		"In %s one login in twenty was sent %s or more after it was due, which is %s of p95 (suspect above %s); this service is faster than the generator can time. Raise spec.generator.cpuLimit, or the cost",
		t.reported.name(), microseconds(*lag), percent(share), percent(resolutionSuspect))
}
