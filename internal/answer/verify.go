package answer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/units"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// NextVerification is the verification that an experiment's recommendation still needs;
// false where it needs none. Errors are those of Rows.
func NextVerification(experiment *v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial) (v1alpha1.Verification, bool, error) {
	status := &experiment.Status
	t, err := newTable(experiment.Spec, trials, status.Verifications)
	if err != nil || !t.asked {
		return v1alpha1.Verification{}, false, err
	}
	next, needed := t.question.NextVerification(status.Recommendation)
	next.Trial = matrix.VerificationName(experiment, next.Variant, len(status.Verifications)+1)
	return next, needed, nil
}

// Verified writes into a verification what its trial came to, which has ended.
func Verified(v *v1alpha1.Verification, trial *v1alpha1.SizingTrial) {
	result, counts := trial.Status.Result, trial.Status.Verification
	if result == nil || counts == nil {
		v.Outcome = v1alpha1.VerificationNotRun
		v.Message = clipped(fmt.Sprintf("The size could not be driven (%s): %s", trial.Status.Reason, trial.Status.Message))
		return
	}
	v.Counts, v.Outcome = counts.DeepCopy(), counts.Outcome
	told := counted(v, trial.Spec.Objective)
	told += advice(v, trial.Spec.Objective)
	if doubts := doubts(result, counts.Outcome); len(doubts) > 0 {
		v.Outcome = v1alpha1.VerificationUndecided
		told += fmt.Sprintf("; but that is %s (%s)", result.Verdict, strings.Join(doubts, ", "))
	}
	v.Message = clipped(told)
}

// advice says what would let failures be decided, where they were not.
func advice(v *v1alpha1.Verification, objective v1alpha1.Objective) string {
	few, allowed := v.Counts.Outcome == v1alpha1.VerificationUndecided && v.Counts.Failed == 0, objective.MaxErrorPerMille
	if !few || allowed == 0 || v.Counts.FailedPerMillion.High <= 1000*int64(allowed) {
		return ""
	}
	text := fmt.Sprintf(". To show that so few fail takes %d logins without a failure: raise objective.maxErrorPerMille", ruleOfThree(allowed))
	if v.DrivenReplicas < v.Replicas {
		text += ", or drive more with demand.verify: Full"
	}
	return text
}

// slowing are reasons of a Suspect result that do not keep it from showing that a size
// holds: they make logins slower than they would be, or are about a conversion to the
// reference speed, which a verification does without.
var slowing = []string{
	verdict.NoisyNeighbour, verdict.SharedNode, verdict.GeneratorSaturated, verdict.GeneratorThrottled, verdict.SpeedUnknown, verdict.Resolution,
}

// doubts are the reasons why what a verification came to does not count.
func doubts(result *v1alpha1.VariantResult, outcome v1alpha1.VerificationOutcome) []string {
	if result.Verdict == v1alpha1.VerdictInvalid {
		return kinds(result.Reasons)
	}
	if outcome != v1alpha1.VerificationMet {
		return nil
	}
	return kinds(slices.DeleteFunc(slices.Clone(result.Reasons), func(r v1alpha1.Reason) bool {
		return r.Verdict != v1alpha1.VerdictSuspect || slices.Contains(slowing, r.Type)
	}))
}

// counted reads: 1 replica was driven with 500 logins at 5/s: 3 took longer than 1s (at
// most 2.2 %, and 5 % may), and none failed (at most 0.92 %, and 1 % may).
func counted(v *v1alpha1.Verification, objective v1alpha1.Objective) string {
	c := v.Counts
	were := "1 replica was"
	if v.DrivenReplicas != 1 {
		were = fmt.Sprintf("%d replicas were", v.DrivenReplicas)
	}
	limit := int64(objective.P95Milliseconds) * 1000
	return fmt.Sprintf("%s driven with %d logins at %s: %d took longer than %s or failed (%s of all logins, with 95 %% confidence; 5 %% may), and %d failed (%s; %s %% may)",
		were, c.Logins, units.Rate(&v.OfferedMilliPerSecond), c.Slower, units.Latency(&limit), between(c.SlowerPerMillion),
		c.Failed, between(c.FailedPerMillion), units.Number(float64(objective.MaxErrorPerMille)/10))
}

// between reads 0.12 to 2.2 %.
func between(share v1alpha1.ShareInterval) string {
	if share.Low == 0 {
		return fmt.Sprintf("at most %s %%", units.Number(float64(share.High)/1e4))
	}
	return fmt.Sprintf("%s to %s %%", units.Number(float64(share.Low)/1e4), units.Number(float64(share.High)/1e4))
}

func kinds(reasons []v1alpha1.Reason) []string {
	var names []string
	for _, r := range reasons {
		names = append(names, r.Type)
	}
	return names
}

// clipped keeps a message within the API's bound.
func clipped(message string) string {
	const most = 512
	if letters := []rune(message); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return message
}

// ruleOfThree is how many logins without a failure show, with 95 % confidence, that at
// most so many of a thousand fail: ln 20 ÷ the share, which is nearly 3 ÷ the share.
func ruleOfThree(perMille int32) int64 {
	return int64(math.Ceil(1000 * math.Log(20) / float64(max(1, perMille))))
}
