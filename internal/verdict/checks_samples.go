package verdict

import (
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// tooFewSamples finds a reported step with too few logins for a p95, and a saturation for a maximum.
func tooFewSamples(t *trial) []v1beta1.Reason {
	found := ofSteps(fewCompletions)(t)
	switch {
	case t.reported == nil:
		found = append(found, leftOut(t)...)
	case !t.reported.overloaded:
		found = append(found, fewSuccesses(t.reported)...)
	}
	return found
}

func fewSuccesses(s *step) []v1beta1.Reason {
	verdict, what, needed := v1beta1.VerdictSuspect, "an interval of p95", int64(samplesForInterval)
	if s.result.OK < samplesForP95 {
		verdict, what, needed = v1beta1.VerdictInvalid, "p95", samplesForP95
	}
	if s.result.OK >= needed {
		return nil
	}
	return finding(v1beta1.ReasonTooFewSamples, verdict,
		"%s had %d successful logins, but %s needs at least %d. Raise load.capacity.minSamples and load.capacity.maxStepSeconds, or load.stepSeconds",
		units.Capital(s.name()), s.result.OK, what, needed)
}

func fewCompletions(_ *trial, s *step) []v1beta1.Reason {
	if s.Kind != loadplan.Saturation || s.result.CompletedInWindow >= completionsForMaximum {
		return nil
	}
	return finding(v1beta1.ReasonTooFewSamples, v1beta1.VerdictSuspect,
		"The saturation had %d completed logins, but a maximum needs at least %d. Raise load.capacity.maxStepSeconds or the CPU limit, or lower the cost",
		s.result.CompletedInWindow, completionsForMaximum)
}

// leftOut says why there is no reported step. If the plan left it out, only p95 is missing.
func leftOut(t *trial) []v1beta1.Reason {
	for _, left := range t.Plan.NotRun {
		if left.Reported {
			return finding(v1beta1.ReasonTooFewSamples, v1beta1.VerdictSuspect, "%s", left.Message)
		}
	}
	return finding(v1beta1.ReasonTooFewSamples, v1beta1.VerdictInvalid,
		"The load generator returned no numbers for the reported step: use the same version of the operator and the load generator")
}

// overloaded explains why p95 is missing. A service that cannot keep up is a result.
func overloaded(t *trial) []v1beta1.Reason {
	if t.reported == nil || !t.reported.overloaded {
		return nil
	}
	return finding(v1beta1.ReasonOverloaded, "",
		"%s offered more logins than the service can serve (%s of them failed), so p95 would only show how long the step lasted: offer less, or give the service more CPU",
		units.Capital(t.reported.name()), percent(t.reported.share(t.reported.result.Failures())))
}
