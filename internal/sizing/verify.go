package sizing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// mostMessage is the API's limit for a verification's message, in characters.
const mostMessage = 512

// NextVerification returns the verification that an experiment's recommendation still
// needs, or false.
func NextVerification(experiment *v1alpha1.SizingExperiment) (v1alpha1.Verification, bool) {
	status := &experiment.Status
	q, _ := QuestionOf(experiment.Spec, pricing.Tariff{}, status.Verifications)
	next, needed := q.NextVerification(status.Recommendation)
	next.Trial = matrix.VerificationName(experiment, next.Variant, len(status.Verifications)+1)
	return next, needed
}

// Verified writes the outcome of a finished trial into its verification.
func Verified(v *v1alpha1.Verification, trial *v1alpha1.SizingTrial) {
	result, counts := trial.Status.Result, trial.Status.Verification
	if result == nil || counts == nil {
		v.Outcome = v1alpha1.VerificationNotRun
		v.Message = units.Clip(fmt.Sprintf("The size could not be driven (%s): %s", trial.Status.Reason, trial.Status.Message), mostMessage)
		return
	}
	v.Counts, v.Outcome = counts.DeepCopy(), counts.Outcome
	message := counted(v, trial.Spec.Objective)
	message += advice(v, trial.Spec.Objective)
	if doubts := doubts(result, counts.Outcome); len(doubts) > 0 {
		v.Outcome = v1alpha1.VerificationUndecided
		message += fmt.Sprintf("; but the result is %s (%s)", result.Verdict, strings.Join(results.ReasonTypes(doubts), ", "))
	}
	v.Message = units.Clip(message, mostMessage)
}

// advice says what to change if there were too few logins to decide about failures.
func advice(v *v1alpha1.Verification, objective v1alpha1.Objective) string {
	few, allowed := v.Counts.Outcome == v1alpha1.VerificationUndecided && v.Counts.Failed == 0, objective.MaxErrorPerMille
	if !few || allowed == 0 || v.Counts.FailedPerMillion.High <= 1000*int64(allowed) {
		return ""
	}
	text := fmt.Sprintf(". To show so low a failure rate takes %d logins without a failure: raise objective.maxErrorPerMille", loadplan.LoginsToShow(allowed))
	if v.DrivenReplicas < v.Replicas {
		text += ", or drive more with demand.verify: Full"
	}
	return text
}

// slowing has the reasons for a Suspect result that don't put the outcome Met in doubt: they make logins
// slower, or concern the conversion to the reference speed, which a verification does not use.
var slowing = []string{
	v1alpha1.ReasonNoisyNeighbour, v1alpha1.ReasonSharedNode, v1alpha1.ReasonGeneratorSaturated, v1alpha1.ReasonGeneratorThrottled, v1alpha1.ReasonSpeedUnknown, v1alpha1.ReasonResolution,
}

// doubts returns the reasons why the outcome of a verification does not count.
func doubts(result *v1alpha1.VariantResult, outcome v1alpha1.VerificationOutcome) []v1alpha1.Reason {
	if result.Verdict == v1alpha1.VerdictInvalid {
		return result.Reasons
	}
	if outcome != v1alpha1.VerificationMet {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(result.Reasons), func(r v1alpha1.Reason) bool {
		return r.Verdict != v1alpha1.VerdictSuspect || slices.Contains(slowing, r.Type)
	})
}

// counted returns text such as "1 replica was driven with 500 logins at 5/s: 3 took longer than 1s or failed (…)".
func counted(v *v1alpha1.Verification, objective v1alpha1.Objective) string {
	c := v.Counts
	were := "1 replica was"
	if v.DrivenReplicas != 1 {
		were = fmt.Sprintf("%d replicas were", v.DrivenReplicas)
	}
	limit := int64(objective.P95Milliseconds) * 1000
	return fmt.Sprintf("%s driven with %d logins at %s: %d took longer than %s or failed (%s of all logins, with 95 %% confidence; 5 %% allowed), and %d failed (%s; %s %% allowed)",
		were, c.Logins, units.Rate(&v.OfferedMilliPerSecond), c.Slower, units.Latency(&limit), between(c.SlowerPerMillion),
		c.Failed, between(c.FailedPerMillion), units.Number(float64(objective.MaxErrorPerMille)/10)) +
		slowWords(c.SlowerThanP50, objective.P50Milliseconds, 50) + slowWords(c.SlowerThanP99, objective.P99Milliseconds, 1)
}

func slowWords(slow *v1alpha1.SlowLogins, milliseconds int32, allowedPercent int) string {
	if slow == nil {
		return ""
	}
	limit := int64(milliseconds) * 1000
	return fmt.Sprintf(", %d longer than %s (%s; %d %% allowed)", slow.Logins, units.Latency(&limit), between(slow.PerMillion), allowedPercent)
}

// between returns text such as "0.12 to 2.2 %" or "at most 2.2 %".
func between(share v1alpha1.ShareInterval) string {
	if share.Low == 0 {
		return fmt.Sprintf("at most %s %%", units.Number(float64(share.High)/1e4))
	}
	return fmt.Sprintf("%s to %s %%", units.Number(float64(share.Low)/1e4), units.Number(float64(share.High)/1e4))
}
