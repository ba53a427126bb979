package sizing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// verified returns the recorded quickstart with a demand, after verifications with these
// outcomes.
func verified(t *testing.T, outcomes ...v1beta1.VerificationOutcome) (*v1beta1.SizingExperiment, []v1beta1.SizingTrial) {
	t.Helper()
	experiment, trials := fixture.Quickstart()
	experiment.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To[int32](10), MaxTotalCPU: ptr.To(intstr.Parse("1")), Verify: v1beta1.VerifyReplica}
	conclude := func() {
		if err := sizing.Conclude(experiment.Spec, trials, &experiment.Status); err != nil {
			t.Fatal(err)
		}
	}
	conclude()
	for _, outcome := range outcomes {
		next, needed := sizing.NextVerification(experiment, trials)
		if !needed {
			t.Fatal("no verification is needed")
		}
		next.Outcome, next.Message = outcome, "1 replica was driven"
		experiment.Status.Verifications = append(experiment.Status.Verifications, next)
		conclude()
	}
	return experiment, trials
}

func TestAVerifiedAnswerIsHigh(t *testing.T) {
	experiment, _ := verified(t, v1beta1.VerificationMet)
	got := experiment.Status.Recommendation
	if got.Variant != "c10-500m" || got.Confidence != v1beta1.ConfidenceHigh || got.Verified != v1beta1.VerificationMet {
		t.Errorf("recommended: %+v", got)
	}
	if next, needed := sizing.NextVerification(experiment, nil); needed {
		t.Errorf("it is verified again: %+v", next)
	}
}

func TestTheNextSizeIsVerifiedWhereTheFirstFails(t *testing.T) {
	experiment, _ := verified(t, v1beta1.VerificationFailed, v1beta1.VerificationMet)
	first, second, got := experiment.Status.Verifications[0], experiment.Status.Verifications[1], experiment.Status.Recommendation
	if first.Variant != "c10-500m" || first.Replicas != 1 || second.Variant != "c10-250m" || second.Replicas != 3 || second.OfferedMilliPerSecond != 1667 || first.TrialName == second.TrialName {
		t.Errorf("verified: %+v, then %+v", first, second)
	}
	if got.Variant != "c10-250m" || got.Confidence != v1beta1.ConfidenceMedium || got.Verified != v1beta1.VerificationMet || !strings.Contains(got.Reason, "1×c10-500m failed its verification") {
		t.Errorf("recommended: %+v", got)
	}
	for _, row := range experiment.Status.Results {
		if row.Variant == "c10-500m" && row.Sizing.Replicas != 2 {
			t.Errorf("its row has %d replicas", row.Sizing.Replicas)
		}
	}
}

func TestNothingIsRecommendedWhereBothSizesFail(t *testing.T) {
	experiment, _ := verified(t, v1beta1.VerificationFailed, v1beta1.VerificationFailed)
	got := experiment.Status.Recommendation
	if got.Variant != "" || got.BrokenBound != v1beta1.BoundVerification || got.Nearest == nil || got.Confidence != "" {
		t.Errorf("recommended: %+v", got)
	}
	if _, needed := sizing.NextVerification(experiment, nil); needed {
		t.Error("a third size is verified")
	}
}

func TestAnotherQuestionIsNotVerifiedButFailuresStillCount(t *testing.T) {
	met, failed := []v1beta1.VerificationOutcome{v1beta1.VerificationMet}, []v1beta1.VerificationOutcome{v1beta1.VerificationFailed, v1beta1.VerificationFailed}
	prices := func(s *v1beta1.SizingExperimentSpec) {
		s.Prices = &v1beta1.Prices{Currency: "EUR", PerCPUHour: ptr.To(intstr.Parse("0.05"))}
	}
	demand := func(perSecond int32) func(*v1beta1.SizingExperimentSpec) {
		return func(s *v1beta1.SizingExperimentSpec) { s.Demand.LoginsPerSecond = intstr.FromInt32(perSecond) }
	}
	quoted := func(s *v1beta1.SizingExperimentSpec) {
		s.Demand.LoginsPerSecond, s.Demand.MaxTotalCPU = intstr.FromString("5"), ptr.To(intstr.FromString("1"))
	}
	looser := func(s *v1beta1.SizingExperimentSpec) { s.Objective.P95Milliseconds++ }
	for name, c := range map[string]struct {
		outcomes []v1beta1.VerificationOutcome
		change   func(*v1beta1.SizingExperimentSpec)
		verified bool
		again    bool // the size that was verified first is recommended
	}{
		"the same question":                    {met, func(*v1beta1.SizingExperimentSpec) {}, true, true},
		"the same question in quotes":          {met, quoted, true, true},
		"other prices":                         {met, prices, true, true},
		"less demand":                          {met, demand(4), false, true},
		"a looser objective":                   {met, looser, false, true},
		"more demand after a failure":          {failed, demand(6), false, false},
		"less headroom after a failure":        {failed, func(s *v1beta1.SizingExperimentSpec) { s.Demand.HeadroomPercent = ptr.To[int32](0) }, false, false},
		"another objective than the failure's": {failed, looser, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			experiment, trials := verified(t, c.outcomes...)
			got := askedAgain(t, experiment, trials, c.change)
			if got.Variant == "" || (got.Confidence == v1beta1.ConfidenceHigh) != c.verified || (got.Verified == v1beta1.VerificationMet) != c.verified {
				t.Errorf("recommended: %+v", got)
			}
			if (got.Variant == "c10-500m" && got.Replicas == 1) != c.again {
				t.Errorf("recommended is %d×%s", got.Replicas, got.Variant)
			}
			if c.again && !c.verified && !strings.Contains(got.Reason, "not verified") {
				t.Errorf("the reason does not say that the size is not verified: %s", got.Reason)
			}
		})
	}
}

// askedAgain returns the recommendation for a changed question.
func askedAgain(t *testing.T, experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial, change func(*v1beta1.SizingExperimentSpec)) *v1beta1.Recommendation {
	t.Helper()
	spec := *experiment.Spec.DeepCopy()
	change(&spec)
	asked, err := sizing.WhatIf(experiment, trials, spec)
	if err != nil {
		t.Fatal(err)
	}
	return asked.Recommendation
}

func TestWhereTheFirstSizeFailsAndNoOtherFitsThatIsSaid(t *testing.T) {
	experiment, trials := verified(t)
	experiment.Spec.Demand.MaxReplicas, experiment.Spec.Matrix.CPULimits = ptr.To[int32](1), fixture.Limits("500m")
	next, _ := sizing.NextVerification(experiment, trials)
	next.Outcome = v1beta1.VerificationFailed
	experiment.Status.Verifications = []v1beta1.Verification{next}
	if err := sizing.Conclude(experiment.Spec, trials, &experiment.Status); err != nil {
		t.Fatal(err)
	}
	got := experiment.Status.Recommendation
	if got.Variant != "" || got.Verified != v1beta1.VerificationFailed || !strings.Contains(got.Reason, "; 1×c10-500m failed its verification") {
		t.Errorf("recommended: %+v", got)
	}
}

func TestAVerificationsTrialIsNoMeasurement(t *testing.T) {
	experiment, trials := verified(t, v1beta1.VerificationMet)
	before := experiment.Status.DeepCopy()
	trial := trials[0].DeepCopy()
	trial.Name, trial.Spec.Role = experiment.Status.Verifications[0].TrialName, v1beta1.RoleVerification
	trial.Spec.Variant.Name = "c10-500m"
	trials = append(trials, *trial)
	if err := sizing.Conclude(experiment.Spec, trials, &experiment.Status); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*before, experiment.Status); diff != "" {
		t.Errorf("the status without it and with it (-want +got):\n%s", diff)
	}
}

func TestVerifiedSaysWhatWasCounted(t *testing.T) {
	trial := func(verdict v1beta1.Verdict, outcome v1beta1.VerificationOutcome, slower, failed int64, reasons ...v1beta1.Reason) *v1beta1.SizingTrial {
		made := &v1beta1.SizingTrial{}
		made.Spec.Objective = v1beta1.Objective{P95Milliseconds: 500, MaxErrorPerMille: ptr.To[int32](1)}
		made.Status.Result = &v1beta1.VariantResult{Verdict: verdict, Reasons: reasons, P95Microseconds: ptr.To[int64](118_282)}
		made.Status.Verification = &v1beta1.VerificationCounts{
			Outcome: outcome, Logins: 3000, Slower: slower, Failed: failed,
			SlowerPerMillion: v1beta1.ShareInterval{Low: 1200, High: 21_900}, FailedPerMillion: v1beta1.ShareInterval{High: 1170},
		}
		return made
	}
	lost := &v1beta1.SizingTrial{}
	lost.Status.Reason, lost.Status.Message = "QuotaExceeded", "The namespace's quota has no room"
	noisy := v1beta1.Reason{Type: "NoisyNeighbour", Verdict: v1beta1.VerdictSuspect}
	fast := v1beta1.Reason{Type: "AboveCPUBound", Verdict: v1beta1.VerdictSuspect}
	for name, c := range map[string]struct {
		trial *v1beta1.SizingTrial
		want  v1beta1.VerificationOutcome
		says  string
	}{
		"it met the objective": {trial(v1beta1.VerdictValid, v1beta1.VerificationMet, 12, 0), v1beta1.VerificationMet,
			"1 replica was driven with 3000 logins at 5/s: 12 took longer than 500ms or failed (0.12 to 2.19 % of all logins, with 95 % confidence; 5 % allowed), and 0 failed (at most 0.12 %; 0.1 % allowed)"},
		"it failed":                     {trial(v1beta1.VerdictSuspect, v1beta1.VerificationFailed, 300, 0, noisy), v1beta1.VerificationFailed, "300 took longer"},
		"it failed on a disturbed node": {trial(v1beta1.VerdictInvalid, v1beta1.VerificationFailed, 300, 0, noisy), v1beta1.VerificationUndecided, "but the result is Invalid (NoisyNeighbour)"},
		"it met the objective although something slowed it": {trial(v1beta1.VerdictSuspect, v1beta1.VerificationMet, 0, 0, noisy), v1beta1.VerificationMet, "0 took longer"},
		"it met the objective, but perhaps with more CPU":   {trial(v1beta1.VerdictSuspect, v1beta1.VerificationMet, 0, 0, noisy, fast), v1beta1.VerificationUndecided, "but the result is Suspect (AboveCPUBound)"},
		"too few logins": {trial(v1beta1.VerdictValid, v1beta1.VerificationUndecided, 0, 0), v1beta1.VerificationUndecided,
			"takes 2995 logins without a failure: raise objective.maxErrorPerMille"},
		"no numbers": {lost, v1beta1.VerificationNotRun, "could not be driven (QuotaExceeded): The namespace's quota has no room"},
	} {
		t.Run(name, func(t *testing.T) {
			v := v1beta1.Verification{Replicas: 1, DrivenReplicas: 1, OfferedMilliPerSecond: 5000}
			sizing.Verified(&v, c.trial)
			if v.Outcome != c.want || !strings.Contains(v.Message, c.says) {
				t.Errorf("%s: %s, want %s: %s", v.Outcome, v.Message, c.want, c.says)
			}
			usable := c.trial.Status.Result != nil && c.trial.Status.Result.Verdict != v1beta1.VerdictInvalid
			if got := ptr.Deref(v.P95Microseconds, 0); usable != (got == 118_282) || !usable && got != 0 {
				t.Errorf("p95 is %d", got)
			}
		})
	}
}

// The demand is 5/s, so that each of two replicas has a share of 2.5/s.
func TestSameTakesTheLoadOfTheDecisionIfItShowsTheShare(t *testing.T) {
	const load, fresh = "measured", "fresh"
	for name, test := range map[string]struct {
		offered int64
		outcome v1beta1.VerificationOutcome
		want    v1beta1.Verification
	}{
		"at the share":                           {2500, v1beta1.VerificationMet, v1beta1.Verification{TrialName: load, OfferedMilliPerSecond: 2500}},
		"above it":                               {3250, v1beta1.VerificationMet, v1beta1.Verification{TrialName: load, OfferedMilliPerSecond: 3250}},
		"undecided":                              {3250, v1beta1.VerificationUndecided, v1beta1.Verification{TrialName: load, OfferedMilliPerSecond: 3250}},
		"below it, so that nothing shows that":   {2400, v1beta1.VerificationMet, v1beta1.Verification{TrialName: fresh, OfferedMilliPerSecond: 2500}},
		"failed above it, where the size is not": {3250, v1beta1.VerificationFailed, v1beta1.Verification{TrialName: fresh, OfferedMilliPerSecond: 2500}},
		"not driven":                             {0, "", v1beta1.Verification{TrialName: fresh, OfferedMilliPerSecond: 2500}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := small(func(s *v1beta1.SizingExperimentSpec) { s.Demand.Verify = v1beta1.VerifySame })
			trial := held(t, spec, "c10-500m", 7000, v1beta1.VerdictValid)
			trial.Name, trial.Spec.Role = load, v1beta1.RoleDecision
			if test.offered > 0 {
				trial.Spec.OfferedMilliPerSecond, trial.Status.Verification = &test.offered, &v1beta1.VerificationCounts{Outcome: test.outcome}
			}
			e := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Name: "sized", UID: "00000000-1"}, Spec: spec}
			e.Status.Results = []v1beta1.VariantResult{{Variant: "c10-500m", TrialName: load}}
			e.Status.Recommendation = &v1beta1.Recommendation{Size: v1beta1.Size{Variant: "c10-500m", Replicas: 2}}
			if test.want.TrialName == fresh {
				test.want.TrialName = matrix.VerificationName(e, "c10-500m", 1)
			}
			test.want.Variant, test.want.Replicas, test.want.DrivenReplicas = "c10-500m", 2, 1
			got, needed := sizing.NextVerification(e, []v1beta1.SizingTrial{trial})
			if diff := cmp.Diff(test.want, got); diff != "" || !needed {
				t.Errorf("needed: %t, verification (-want +got):\n%s", needed, diff)
			}
		})
	}
}
