package verdict

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// tooFewSamples finds a reported step with too few logins for a p95, and a saturation with
// too few for a maximum.
func tooFewSamples(t *trial) []v1alpha1.Reason {
	found := fewCompletions(t)
	switch {
	case t.reported == nil:
		found = append(found, leftOut(t))
	case !t.reported.overloaded:
		found = append(found, fewSuccesses(t.reported)...)
	}
	return found
}

func fewSuccesses(s *step) []v1alpha1.Reason {
	const advice = "Raise load.minSamples and load.maxStepSeconds, or load.stepSeconds"
	ok := s.result.OK
	switch {
	case ok < samplesForP95:
		return []v1alpha1.Reason{{
			Type: v1alpha1.ReasonTooFewSamples, Verdict: v1alpha1.VerdictInvalid,
			Message: fmt.Sprintf("%s had %d successful logins, but p95 needs at least %d. %s", units.Capital(s.name()), ok, samplesForP95, advice),
		}}
	case ok < samplesForInterval:
		return []v1alpha1.Reason{{
			Type: v1alpha1.ReasonTooFewSamples, Verdict: v1alpha1.VerdictSuspect,
			Message: fmt.Sprintf("%s had %d successful logins, but an interval of p95 needs at least %d. %s", units.Capital(s.name()), ok, samplesForInterval, advice),
		}}
	default:
		return nil
	}
}

func fewCompletions(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		if s.Kind == loadplan.Saturation && s.result.CompletedInWindow < completionsForMaximum {
			found = append(found, v1alpha1.Reason{
				Type: v1alpha1.ReasonTooFewSamples, Verdict: v1alpha1.VerdictSuspect,
				Message: fmt.Sprintf("The saturation had %d completed logins, but a maximum needs at least %d. Raise load.maxStepSeconds or the CPU limit, or lower the cost",
					s.result.CompletedInWindow, completionsForMaximum),
			})
		}
	}
	return found
}

// leftOut says why there is no reported step. If the plan left it out, only p95 is missing
// and the plan has the reason. Otherwise the whole row would be empty.
func leftOut(t *trial) v1alpha1.Reason {
	for _, left := range t.Plan.NotRun {
		if left.Reported {
			return v1alpha1.Reason{Type: v1alpha1.ReasonTooFewSamples, Verdict: v1alpha1.VerdictSuspect, Message: left.Message}
		}
	}
	return v1alpha1.Reason{
		Type: v1alpha1.ReasonTooFewSamples, Verdict: v1alpha1.VerdictInvalid,
		Message: "The load generator returned no numbers for the reported step: use the same version of the operator and the load generator",
	}
}

// overloaded explains why p95 is missing. It does not change the verdict: a service that
// cannot keep up is a result.
func overloaded(t *trial) []v1alpha1.Reason {
	if t.reported == nil || !t.reported.overloaded {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: v1alpha1.ReasonOverloaded,
		Message: fmt.Sprintf("%s offered more logins than the service can serve (%s of them failed), so p95 would only show how long the step lasted: offer less, or give the service more CPU",
			units.Capital(t.reported.name()), percent(t.reported.failedShare())),
	}}
}
