package verdict

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// tooFewSamples: p95 of a handful of logins is chance, and so is a maximum of a
// handful of completions.
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
			Type: TooFewSamples, Verdict: v1alpha1.VerdictInvalid,
			Message: fmt.Sprintf("%s had %d successes; below %d there is no p95. %s", capital(s.name()), ok, samplesForP95, advice),
		}}
	case ok < samplesForInterval:
		return []v1alpha1.Reason{{
			Type: TooFewSamples, Verdict: v1alpha1.VerdictSuspect,
			Message: fmt.Sprintf("%s had %d successes; below %d p95 has no interval. %s", capital(s.name()), ok, samplesForInterval, advice),
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
				Type: TooFewSamples, Verdict: v1alpha1.VerdictSuspect,
				Message: fmt.Sprintf("The saturation saw %d completions; below %d there is no maximum. Raise load.maxStepSeconds or the CPU limit, or lower the cost",
					s.result.CompletedInWindow, completionsForMaximum),
			})
		}
	}
	return found
}

// leftOut says why there is no reported step. One that the plan left out takes
// only p95 away, and the plan says why; any other would leave a row empty.
func leftOut(t *trial) v1alpha1.Reason {
	for _, left := range t.NotRun {
		if left.Reported {
			return v1alpha1.Reason{Type: TooFewSamples, Verdict: v1alpha1.VerdictSuspect, Message: left.Message}
		}
	}
	return v1alpha1.Reason{
		Type: TooFewSamples, Verdict: v1alpha1.VerdictInvalid,
		Message: "The generator handed over no numbers of the reported step; see that operator and generator are of one version",
	}
}

// overloaded explains a p95 that is absent. It is no verdict: a service that
// can't keep up is a result.
func overloaded(t *trial) []v1alpha1.Reason {
	if t.reported == nil || !t.reported.overloaded {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: Overloaded,
		Message: fmt.Sprintf("%s asked for more than the service can serve (%s of the logins failed), so that p95 would only tell how long it was driven; offer less, or give it more CPU",
			capital(t.reported.name()), percent(t.reported.failedShare())),
	}}
}
