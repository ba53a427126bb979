//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// withDemand adds a demand to an experiment, without verification.
func withDemand(perSecond, minimumCost int32, maxTotalCPU string) func(*v1alpha1.SizingExperimentSpec) {
	return func(s *v1alpha1.SizingExperimentSpec) {
		s.Demand = &v1alpha1.Demand{LoginsPerSecond: perSecond, MinimumCost: ptr.To(minimumCost), MaxTotalCPU: maxTotalCPU, Verify: v1alpha1.VerifyNone}
	}
}

// recommended returns what an experiment recommends, and fails the test if it recommends
// nothing.
func recommended(t *testing.T, e *v1alpha1.SizingExperiment) *v1alpha1.Recommendation {
	t.Helper()
	answer := e.Status.Recommendation
	if answer == nil || answer.Variant == "" {
		t.Fatalf("%s recommends no size: %+v", e.Name, answer)
	}
	t.Logf("%s, confidence %s: %s", e.Status.Display.Recommended, answer.Confidence, answer.Reason)
	return answer
}

// The size depends on the machine, but it must always follow from the rows.
func TestTheQuickstartRecommendsASizeWithinItsBounds(t *testing.T) {
	e, _ := quickstart(t)
	answer := recommended(t, e)
	if answer.Cost != 10 || answer.Predicted {
		t.Errorf("cost %d is recommended (predicted: %t), want the measured cost 10", answer.Cost, answer.Predicted)
	}
	total, limit := resource.MustParse(answer.TotalCPU), resource.MustParse(answer.CPULimit)
	if most := resource.MustParse(e.Spec.Demand.MaxTotalCPU); total.Cmp(most) > 0 || total.MilliValue() != int64(answer.Replicas)*limit.MilliValue() {
		t.Errorf("%d replicas of %s have a total CPU of %s, of at most %s", answer.Replicas, answer.CPULimit, answer.TotalCPU, e.Spec.Demand.MaxTotalCPU)
	}
	if capacity := ptr.Deref(answer.CapacityMilliPerSecond, 0); capacity < 6500 {
		t.Errorf("it serves %d/1000 logins a second, want 5 with 30 %% headroom", capacity)
	}
	if answer.P95Microseconds == nil || *answer.P95Microseconds > 1e6 {
		t.Errorf("p95 is predicted as %v µs, and the objective is a second", answer.P95Microseconds)
	}
	followsFromItsRow(t, e, answer)
	if answer.PricePerMonth == "" || answer.PricePerMillionLogins == "" || answer.AttackerPricePerBillionGuesses == "" {
		t.Errorf("a price is missing in %+v", answer.Size)
	}
	if want := fmt.Sprintf("%d×%s", answer.Replicas, answer.Variant); e.Status.Display.Recommended != want {
		t.Errorf("kubectl get shows %q, want %q", e.Status.Display.Recommended, want)
	}
}

// followsFromItsRow compares the recommended size with its row, and with the other rows:
// nothing that fits uses less CPU.
func followsFromItsRow(t *testing.T, e *v1alpha1.SizingExperiment, answer *v1alpha1.Recommendation) {
	t.Helper()
	row := rowOf(t, e, answer.Variant)
	if row.Sizing == nil || row.Sizing.Replicas != answer.Replicas || row.Sizing.TotalCPU != answer.TotalCPU || row.CapacityInterval == nil {
		t.Fatalf("the row of %s has sizing %+v", answer.Variant, row.Sizing)
	}
	// The size is chosen by the lower end, at the slow speed, which is not above this.
	if low := int64(answer.Replicas) * row.CapacityInterval.LowMilliPerSecond; low < 6500 {
		t.Errorf("at the lower end %d replicas serve %d/1000 logins a second, want 5 with 30 %% headroom", answer.Replicas, low)
	}
	taken := resource.MustParse(answer.TotalCPU)
	for _, other := range e.Status.Results {
		if other.Cost != answer.Cost || other.Sizing == nil || other.Verdict != v1alpha1.VerdictValid {
			continue
		}
		if row.Verdict != v1alpha1.VerdictValid {
			t.Errorf("%s is recommended and %s, but %s is Valid", row.Variant, row.Verdict, other.Variant)
		}
		if needs := resource.MustParse(other.Sizing.TotalCPU); needs.Cmp(taken) < 0 {
			t.Errorf("%s uses %s of CPU, but %s would use %s", row.Variant, answer.TotalCPU, other.Variant, other.Sizing.TotalCPU)
		}
	}
}

func rowOf(t *testing.T, e *v1alpha1.SizingExperiment, variant string) v1alpha1.VariantResult {
	t.Helper()
	at := slices.IndexFunc(e.Status.Results, func(row v1alpha1.VariantResult) bool { return row.Variant == variant })
	if at < 0 {
		t.Fatalf("%s has no row of %s", e.Name, variant)
	}
	return e.Status.Results[at]
}

// The recommendation must have been verified at the demanded rate. On a machine that does
// other work the outcome may be undecided, but the size must never fail.
func TestTheQuickstartsAnswerWasVerified(t *testing.T) {
	e, trials := quickstart(t)
	recommendation := recommended(t, e)
	if len(e.Status.Verifications) != 1 || int(e.Status.Progress.Trials) != len(trials)+1 {
		t.Fatalf("%d trials with these verifications were run: %+v", e.Status.Progress.Trials, e.Status.Verifications)
	}
	v := e.Status.Verifications[0]
	if v.Variant != recommendation.Variant || v.Replicas != recommendation.Replicas || v.DrivenReplicas != 1 || v.OfferedMilliPerSecond < 5000/int64(v.Replicas) {
		t.Errorf("%d×%s is recommended, but this was run: %+v", recommendation.Replicas, recommendation.Variant, v)
	}
	trial := &v1alpha1.SizingTrial{}
	must(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: e.Namespace, Name: v.Trial}, trial))
	row := rowOf(t, e, recommendation.Variant)
	if trial.Status.Result == nil || trial.Status.Result.Verdict != v1alpha1.VerdictValid {
		t.Logf("the verification was disturbed: %s", v.Message)
		if v.Outcome == v1alpha1.VerificationMet || recommendation.Confidence == v1alpha1.ConfidenceHigh {
			t.Errorf("it counts although it was disturbed: %+v, confidence %s", v, recommendation.Confidence)
		}
		return
	}
	if v.Outcome != v1alpha1.VerificationMet || recommendation.Verified != v.Outcome || e.Status.Display.Verified != "yes" {
		t.Errorf("the size was not verified, in columns %q: %s", e.Status.Display.Verified, v.Message)
	}
	confirmed := row.Verdict == v1alpha1.VerdictValid && row.CapacityMethod == v1alpha1.CapacityBoth
	if (recommendation.Confidence == v1alpha1.ConfidenceHigh) != confirmed {
		t.Errorf("a verified size of a row with verdict %s and capacity method %s has confidence %s", row.Verdict, row.CapacityMethod, recommendation.Confidence)
	}
	driven := int64(0)
	for _, step := range trial.Status.Steps {
		driven += step.Scheduled
		if ptr.Deref(step.OfferedMilliPerSecond, 0) != v.OfferedMilliPerSecond || step.SlowerThanP95 == nil || step.Service == nil {
			t.Errorf("a step of the verification: %+v", step)
		}
	}
	if v.Counts == nil || v.Counts.Logins != driven || driven < 500 {
		t.Errorf("%d logins were sent, but this was counted: %+v", driven, v.Counts)
	}
}

// The login service takes 1.5 times as long once it is deployed for verification: one operator
// measures, and another one, with another image, verifies. One replica then can't serve the
// demand, and two can.
func TestASizeThatFailsItsVerificationIsFollowedByTheNext(t *testing.T) {
	hash := hashMicroseconds(t, 8)
	ns := namespace(t)
	for try := 1; ; try++ {
		e := refuted(t, ns, fmt.Sprintf("refuted-%d", try), hash)
		for _, v := range e.Status.Verifications {
			t.Logf("%d×%s: %s: %s", v.Replicas, v.Variant, v.Outcome, v.Message)
		}
		recommendation := ptr.Deref(e.Status.Recommendation, v1alpha1.Recommendation{})
		if recommendation.Confidence == v1alpha1.ConfidenceHigh && len(e.Status.Verifications) != 1 {
			t.Errorf("a size failed, but the confidence is %s", recommendation.Confidence)
		}
		made := e.Status.Verifications
		if len(made) == 2 && made[0].Outcome == v1alpha1.VerificationFailed && made[1].Outcome == v1alpha1.VerificationMet {
			if recommendation.Replicas != made[1].Replicas || made[1].Replicas <= made[0].Replicas || recommendation.Confidence == v1alpha1.ConfidenceHigh {
				t.Errorf("after these %d replicas are recommended, with confidence %s", recommendation.Replicas, recommendation.Confidence)
			}
			return
		}
		if try == 3 {
			t.Fatalf("in three tries, no first size failed with a second one that met the objective: %s: %s", standing(t, e), recommendation.Reason)
		}
		t.Logf("%s: %s", e.Name, recommendation.Reason)
	}
}

// refuted returns an experiment that was verified with another image than it was measured
// with. The demand is 65 % of the CPU-bound rate of one replica, without headroom. At 1.56
// times the hash time, that is more than it can serve.
func refuted(t *testing.T, ns, name string, hash float64) *v1alpha1.SizingExperiment {
	t.Helper()
	o := startOperator(t, "--leader-elect=false", calibratesInFull)
	defer o.kill()
	e := create(t, tiny(ns, name, costs(8), func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.CPULimits = []string{"1"}
		s.Load = v1alpha1.Load{Mode: v1alpha1.LoadCapacity, StepSeconds: 4, MaxStepSeconds: 20, RequestTimeoutSeconds: 10}
		s.Objective = v1alpha1.Objective{P95Milliseconds: int32(8 * hash / 1000), MaxErrorPerMille: 10}
		s.Demand = &v1alpha1.Demand{
			LoginsPerSecond: int32(0.65 * 1e6 / hash), HeadroomPercent: ptr.To[int32](0), MinimumCost: ptr.To[int32](8), Verify: v1alpha1.VerifyReplica,
		}
	}))
	until(t, 4*time.Minute, "the verification", func() (bool, string) {
		refresh(t, e)
		return len(e.Status.Verifications) > 0 || e.Status.Phase.Finished(), standing(t, e)
	})
	o.kill()
	// The objects that the first operator may have deployed have the image of the measurement.
	if len(e.Status.Verifications) > 0 {
		selector := client.MatchingLabels{v1alpha1.LabelExperiment: name}
		must(t, cluster.DeleteAllOf(t.Context(), &appsv1.Deployment{}, client.InNamespace(ns), selector, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}
	slow := startOperator(t, "--leader-elect=false", "--service-image=hashmark.dev/drift-slower:e2e")
	defer slow.kill()
	finished(t, e, 8*time.Minute)
	return e
}

func TestADemandThatNothingCanServeIsToldSo(t *testing.T) {
	startOperator(t)
	e := measured(t, tiny(namespace(t), "toomuch", costs(6), withDemand(5, 6, "100m"), loaded(t, 40, 100)), 2*time.Minute)
	recommendation := e.Status.Recommendation
	if recommendation == nil || recommendation.Variant != "" || recommendation.BrokenBound != v1alpha1.BoundMaxTotalCPU || e.Status.Display.Recommended != "none" {
		t.Fatalf("5 logins/s on a tenth of a CPU: %q, %+v", e.Status.Display.Recommended, recommendation)
	}
	if recommendation.Nearest == nil || recommendation.Nearest.Variant != "c6-250m" || recommendation.Nearest.Replicas != 1 || recommendation.Reason == "" {
		t.Errorf("the nearest is %+v, because %q", recommendation.Nearest, recommendation.Reason)
	}
	t.Log(recommendation.Reason)
	sizedNoFurther(t, e)
	if e.Status.Phase != v1alpha1.ExperimentSucceeded {
		t.Errorf("that no size fits is also a result, but the experiment is %s", e.Status.Phase)
	}
}

// sizedNoFurther computes a recommendation for a demand above the only measured rate, which
// met the objective. The variant's capacity above that rate is unknown.
func sizedNoFurther(t *testing.T, e *v1alpha1.SizingExperiment) {
	t.Helper()
	spec := *e.Spec.DeepCopy()
	spec.Demand.LoginsPerSecond, spec.Demand.MaxTotalCPU = 100_000, ""
	status, err := sizing.WhatIf(e, trialsOf(t, e), spec)
	must(t, err)
	recommendation := status.Recommendation
	if recommendation == nil || recommendation.Variant != "" || recommendation.BrokenBound != v1alpha1.BoundCapacityUnknown || recommendation.Nearest == nil || recommendation.Nearest.Replicas != 0 {
		t.Errorf("100,000 logins/s from a rate that was met: %+v", recommendation)
	}
	t.Log(recommendation.Reason)
}

// The recommendation is written together with the end, in one pass, before which the operator
// may be killed.
func TestAnOperatorKilledBeforeTheEndLeavesTheAnswerToTheNext(t *testing.T) {
	o := startOperator(t, "--leader-elect=false") // the next one would wait for the lease
	watched := watchGenerators(t)
	e := create(t, tiny(namespace(t), "unanswered", costs(6), withDemand(5, 6, "1"), loaded(t, 40, 100)))
	until(t, 2*time.Minute, "the last result", func() (bool, string) {
		trials := trialsOf(t, e)
		return len(trials) == 1 && trials[0].Status.Result != nil, standing(t, e)
	})
	o.kill()
	refresh(t, e)
	if e.Status.Recommendation != nil || e.Status.CompletionTime != nil {
		t.Fatalf("the experiment had ended before the operator was killed: %s", standing(t, e))
	}
	o.start()
	finished(t, e, time.Minute)
	// On a busy machine the result may be Invalid, which the recommendation then reports.
	answer, usable := e.Status.Recommendation, e.Status.Results[0].Verdict != v1alpha1.VerdictInvalid
	if answer == nil || usable != (answer.Variant == "c6-250m") || usable == (answer.BrokenBound == v1alpha1.BoundNoResult) {
		t.Errorf("after a result with verdict %s the recommendation is %+v", e.Status.Results[0].Verdict, answer)
	}
	if trial := theTrial(t, e); watched.jobsOfTrial(trial) != len(trial.Status.Attempts) {
		t.Errorf("%d Jobs ran for %d attempts", watched.jobsOfTrial(trial), len(trial.Status.Attempts))
	}
}

func TestPrometheusHasTheRecommendation(t *testing.T) {
	e, _ := quickstart(t)
	want := recommended(t, e).Variant
	// The operator that wrote the recommendation may have been scraped under several names.
	while := span(t)
	value, _, _, err := prometheus(t).Query(t.Context(), fmt.Sprintf(
		`max by (variant) (last_over_time(hashmark_variant_recommended{namespace="hashmark-demo", experiment="quickstart"}[%ds]))`,
		int(while.End.Sub(while.Start)/time.Second)), while.End)
	must(t, err)
	vector, _ := value.(model.Vector)
	var named []string
	for _, sample := range vector {
		if sample.Value == 1 {
			named = append(named, string(sample.Metric["variant"]))
		}
	}
	if len(vector) != len(quickstartVariants) || !slices.Equal(named, []string{want}) {
		t.Errorf("of %d series those of %v are 1, want one of six: %s: %s", len(vector), named, want, vector)
	}
}
