package sizing

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// mostDriven is the highest number of replicas of a trial that the API allows.
	mostDriven = 10
	// mostVerifications is one for the first recommendation and one for the second.
	mostVerifications = 2
)

// NextVerification returns the verification that a recommendation needs: how many
// replicas to drive, and at which rate. The caller names its trial. It returns false if
// none is needed, or if the size can't be verified.
func (q Question) NextVerification(answer *v1beta1.Recommendation) (v1beta1.Verification, bool) {
	if answer == nil || answer.Variant == "" || !q.verifies() || len(q.Verifications) >= mostVerifications {
		return v1beta1.Verification{}, false
	}
	if tried := q.verification(answer.Variant, int64(answer.Replicas)); tried != nil {
		// If the replicas could not all start, for example because of a quota, try one.
		if tried.Outcome != v1beta1.VerificationNotRun || tried.DrivenReplicas == 1 {
			return v1beta1.Verification{}, false
		}
		q.Verify = v1beta1.VerifyReplica
	}
	next, why := q.drive(answer.Variant, int64(answer.Replicas))
	return next, why == ""
}

func (q Question) verifies() bool { return q.Verify != v1beta1.VerifyNone && q.Verify != "" }

// verification returns the last verification of a size, or nil.
func (q Question) verification(variant string, replicas int64) *v1beta1.Verification {
	for i := len(q.Verifications) - 1; i >= 0; i-- {
		if v := &q.Verifications[i]; v.Variant == variant && int64(v.Replicas) == replicas {
			return v
		}
	}
	return nil
}

// drive returns how to verify a size without surviveReplicas replicas, or why that is impossible, as the
// end of a sentence.
func (q Question) drive(variant string, replicas int64) (v1beta1.Verification, string) {
	left := max(1, replicas-q.Survive)
	driven := v1beta1.Verification{
		Variant: variant, Replicas: int32(replicas), DrivenReplicas: 1, OfferedMilliPerSecond: ceil(q.MilliPerSecond, left),
	}
	switch {
	case q.Verify == v1beta1.VerifyHeadroom:
		driven.OfferedMilliPerSecond = max(driven.OfferedMilliPerSecond, ceil(q.required(), replicas))
	case q.Verify == v1beta1.VerifyFull && left <= mostDriven && q.MilliPerSecond <= q.FastestMilliPerSecond:
		driven.DrivenReplicas, driven.OfferedMilliPerSecond = int32(left), q.MilliPerSecond
	}
	rate := driven.OfferedMilliPerSecond
	switch {
	case rate > q.FastestMilliPerSecond:
		return driven, fmt.Sprintf("one replica gets %s, but a generator can't drive more than %s", perSecond(rate), perSecond(q.FastestMilliPerSecond))
	case rate*matrix.VerificationSeconds < loadplan.IntervalSamples*1000:
		return driven, fmt.Sprintf("one replica gets %s, and in ten minutes that is fewer than the %d logins that are necessary for p95", perSecond(rate), loadplan.IntervalSamples)
	}
	return driven, ""
}

// met returns the names of the trials in which a size of a variant met the objective in its verification.
func (q Question) met(variant v1beta1.Variant) []string {
	var met []string
	for _, v := range q.Verifications {
		if v.Variant == variant.Name && v.Outcome == v1beta1.VerificationMet {
			met = append(met, v.TrialName)
		}
	}
	return met
}

func (q Question) failed() []v1beta1.Verification {
	var failed []v1beta1.Verification
	for _, v := range q.Verifications {
		if v.Outcome == v1beta1.VerificationFailed {
			failed = append(failed, v)
		}
	}
	return failed
}

// Refute lowers a candidate's capacity below the rates at which its verifications failed.
func (q Question) Refute(c *Candidate) {
	for _, v := range q.failed() {
		below := max(0, v.OfferedMilliPerSecond/int64(max(1, v.DrivenReplicas))-1)
		if v.Variant == c.Variant.Name && below < c.Capacity {
			c.Capacity, c.Refuted = below, true
		}
	}
	if c.Held == v1beta1.VerificationFailed && c.Driven <= c.Capacity {
		c.Capacity, c.Refuted = max(0, c.Driven-1), true
	}
}

// verified returns the outcome of a size's verification and, as the end of a sentence, why
// it is not Met.
func (q Question) verified(best sized) (outcome v1beta1.VerificationOutcome, why string) {
	if !q.verifies() {
		return "", "but this size was not verified: it was not driven at the demanded rate"
	}
	if v := q.verification(best.Variant.Name, best.replicas); v != nil {
		if v.Outcome == "" {
			return "", "but this size is still being verified"
		}
		return v.Outcome, fmt.Sprintf("but the verification of this size is %s: see status.verifications", v.Outcome)
	}
	if _, why := q.drive(best.Variant.Name, best.replicas); why != "" {
		return v1beta1.VerificationNotRun, "but this size can't be verified: " + why
	}
	return "", "but this size has not been verified yet"
}

func (q Question) exhausted() bool { return q.verifies() && len(q.failed()) >= mostVerifications }

func (a answer) refuted() *v1beta1.Recommendation {
	r := &v1beta1.Recommendation{BrokenBound: v1beta1.BoundVerification, Verified: v1beta1.VerificationFailed}
	text := "Two sizes were deployed and driven at the demanded rate, and both missed the objective"
	if nearest, found := a.nearest(); found {
		r.Nearest = ptr.To(a.api(nearest))
		text += fmt.Sprintf(". The next size would be %s, but nothing shows that it meets the objective. Find out what differs between the measurements and the verifications, such as other work on the nodes, and measure again", inAll(nearest))
	}
	r.Reason = units.Clip(text, mostReason)
	return r
}

// mostMessage is the API's limit for a verification's message, in characters.
const mostMessage = 512

// NextVerification returns the verification that an experiment's recommendation still
// needs, or false. With demand.verify: Same that is the load of the decision, unless it was at less than the size's share or
// failed, so that it says nothing about this size.
func NextVerification(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) (v1beta1.Verification, bool) {
	status := &experiment.Status
	q, _ := QuestionOf(experiment.Spec, pricing.Tariff{}, status.Verifications)
	next, needed := q.NextVerification(status.Recommendation)
	next.TrialName = matrix.VerificationName(experiment, next.Variant, len(status.Verifications)+1)
	if q.Verify != v1beta1.VerifySame || !needed {
		return next, needed
	}
	driven := max(1, experiment.Spec.Service.Replicas)
	for i := range trials {
		trial, counts := &trials[i], ptr.Deref(trials[i].Status.Verification, v1beta1.VerificationCounts{})
		offered, isRow := ptr.Deref(trial.Spec.OfferedMilliPerSecond, 0), func(r v1beta1.VariantResult) bool { return r.TrialName == trial.Name }
		if trial.Spec.Role == v1beta1.RoleDecision && trial.Spec.Variant.Name == next.Variant && slices.ContainsFunc(status.Results, isRow) &&
			counts.Outcome != "" && counts.Outcome != v1beta1.VerificationFailed && offered >= int64(driven)*next.OfferedMilliPerSecond {
			next.TrialName, next.DrivenReplicas, next.OfferedMilliPerSecond = trial.Name, driven, offered
		}
	}
	return next, true
}

// Verified writes the outcome of a finished trial into its verification.
func Verified(v *v1beta1.Verification, trial *v1beta1.SizingTrial) {
	result, counts := trial.Status.Result, trial.Status.Verification
	if result == nil || counts == nil {
		v.Outcome = v1beta1.VerificationNotRun
		v.Message = units.Clip(fmt.Sprintf("The size could not be driven (%s): %s", trial.Status.Reason, trial.Status.Message), mostMessage)
		return
	}
	v.Counts, v.Outcome = counts.DeepCopy(), counts.Outcome
	if result.Verdict != v1beta1.VerdictInvalid {
		v.P95Microseconds = result.P95Microseconds
	}
	message := counted(v, trial.Spec.Objective)
	message += advice(v, trial.Spec.Objective)
	if doubts := doubts(result, counts.Outcome); len(doubts) > 0 {
		v.Outcome = v1beta1.VerificationUndecided
		message += fmt.Sprintf("; but the result is %s (%s)", result.Verdict, strings.Join(results.Causes(doubts), ", "))
	}
	v.Message = units.Clip(message, mostMessage)
}

// advice says what to change if there were too few logins to decide about failures.
func advice(v *v1beta1.Verification, objective v1beta1.Objective) string {
	few, allowed := v.Counts.Outcome == v1beta1.VerificationUndecided && v.Counts.Failed == 0, ptr.Deref(objective.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille)
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
	v1beta1.ReasonNoisyNeighbour, v1beta1.ReasonSharedNode, v1beta1.ReasonGeneratorSaturated, v1beta1.ReasonGeneratorThrottled, v1beta1.ReasonSpeedUnknown, v1beta1.ReasonResolution,
}

// doubts returns the reasons why the outcome of a verification does not count.
func doubts(result *v1beta1.VariantResult, outcome v1beta1.VerificationOutcome) []v1beta1.Reason {
	if result.Verdict == v1beta1.VerdictInvalid {
		return result.Reasons
	}
	if outcome != v1beta1.VerificationMet {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(result.Reasons), func(r v1beta1.Reason) bool {
		return r.Verdict != v1beta1.VerdictSuspect || slices.Contains(slowing, r.Type)
	})
}

// counted returns text such as "1 replica was driven with 500 logins at 5/s: 3 took longer than 1s or failed (…)".
func counted(v *v1beta1.Verification, objective v1beta1.Objective) string {
	c := v.Counts
	were := "1 replica was"
	if v.DrivenReplicas != 1 {
		were = fmt.Sprintf("%d replicas were", v.DrivenReplicas)
	}
	limit := int64(objective.P95Milliseconds) * 1000
	return fmt.Sprintf("%s driven with %d logins at %s: %d took longer than %s or failed (%s of all logins, with 95 %% confidence; 5 %% allowed), and %d failed (%s; %s %% allowed)",
		were, c.Logins, units.Rate(&v.OfferedMilliPerSecond), c.Slower, units.Latency(&limit), between(c.SlowerPerMillion),
		c.Failed, between(c.FailedPerMillion), units.Number(float64(ptr.Deref(objective.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille))/10)) +
		slowWords(c.SlowerThanP50, objective.P50Milliseconds, 50) + slowWords(c.SlowerThanP99, objective.P99Milliseconds, 1)
}

func slowWords(slow *v1beta1.SlowLogins, milliseconds *int32, allowedPercent int) string {
	if slow == nil {
		return ""
	}
	limit := int64(ptr.Deref(milliseconds, 0)) * 1000
	return fmt.Sprintf(", %d longer than %s (%s; %d %% allowed)", slow.Logins, units.Latency(&limit), between(slow.PerMillion), allowedPercent)
}

// between returns text such as "0.12 to 2.2 %" or "at most 2.2 %".
func between(share v1beta1.ShareInterval) string {
	if share.Low == 0 {
		return fmt.Sprintf("at most %s %%", units.Number(float64(share.High)/1e4))
	}
	return fmt.Sprintf("%s to %s %%", units.Number(float64(share.Low)/1e4), units.Number(float64(share.High)/1e4))
}
