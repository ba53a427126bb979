//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/answer"
)

// asking adds a demand to an experiment.
func asking(perSecond, minimumCost int32, maxTotalCPU string) func(*v1alpha1.SizingExperimentSpec) {
	return func(s *v1alpha1.SizingExperimentSpec) {
		s.Demand = &v1alpha1.Demand{LoginsPerSecond: perSecond, MinimumCost: ptr.To(minimumCost), MaxTotalCPU: maxTotalCPU}
	}
}

// recommended is what an experiment recommends, and fails the test where that is
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

// Which size it is depends on the machine; that it follows from the rows does not.
func TestTheQuickstartRecommendsASizeWithinItsBounds(t *testing.T) {
	e, _ := quickstart(t)
	answer := recommended(t, e)
	if answer.Cost != 10 || answer.Predicted {
		t.Errorf("cost %d is recommended (predicted: %t), want the measured cost 10", answer.Cost, answer.Predicted)
	}
	total, limit := resource.MustParse(answer.TotalCPU), resource.MustParse(answer.CPULimit)
	if most := resource.MustParse(e.Spec.Demand.MaxTotalCPU); total.Cmp(most) > 0 || total.MilliValue() != int64(answer.Replicas)*limit.MilliValue() {
		t.Errorf("%d replicas of %s are said to take %s, of %s at the most", answer.Replicas, answer.CPULimit, answer.TotalCPU, e.Spec.Demand.MaxTotalCPU)
	}
	if capacity := ptr.Deref(answer.CapacityMilliPerSecond, 0); capacity < 6500 {
		t.Errorf("it serves %d/1000 logins a second, want 5 and 30 %% to spare", capacity)
	}
	if answer.P95Microseconds == nil || *answer.P95Microseconds > 1e6 {
		t.Errorf("p95 of %v µs is expected, and the objective is a second", answer.P95Microseconds)
	}
	followsFromItsRow(t, e, answer)
	if answer.PricePerMonth == "" || answer.PricePerMillionLogins == "" || answer.AttackerPricePerBillionGuesses == "" {
		t.Errorf("a price is missing of %+v", answer.Size)
	}
	if want := fmt.Sprintf("%d×%s", answer.Replicas, answer.Variant); e.Status.Display.Recommended != want {
		t.Errorf("kubectl get says %q, want %q", e.Status.Display.Recommended, want)
	}
}

// followsFromItsRow holds the recommended size against the row that it was taken from,
// and against the others: nothing that fits takes less CPU.
func followsFromItsRow(t *testing.T, e *v1alpha1.SizingExperiment, answer *v1alpha1.Recommendation) {
	t.Helper()
	row := rowOf(t, e, answer.Variant)
	if row.Sizing == nil || row.Sizing.Replicas != answer.Replicas || row.Sizing.TotalCPU != answer.TotalCPU || row.CapacityInterval == nil {
		t.Fatalf("the row of %s has sizing %+v", answer.Variant, row.Sizing)
	}
	// The size is chosen by the lower end, at the slow speed, which is not above this.
	if low := int64(answer.Replicas) * row.CapacityInterval.LowMilliPerSecond; low < 6500 {
		t.Errorf("at the lower end %d replicas serve %d/1000 logins a second, want 5 and 30 %% to spare", answer.Replicas, low)
	}
	taken := resource.MustParse(answer.TotalCPU)
	for _, other := range e.Status.Results {
		if other.Cost != answer.Cost || other.Sizing == nil || other.Verdict != v1alpha1.VerdictValid {
			continue
		}
		if row.Verdict != v1alpha1.VerdictValid {
			t.Errorf("%s is recommended, which is %s, and %s is Valid", row.Variant, row.Verdict, other.Variant)
		}
		if needs := resource.MustParse(other.Sizing.TotalCPU); needs.Cmp(taken) < 0 {
			t.Errorf("%s takes %s of CPU, and %s would take %s", row.Variant, answer.TotalCPU, other.Variant, other.Sizing.TotalCPU)
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

// The answer is tried, not trusted: just the size that is recommended runs, and is
// loaded at the demanded rate.
func TestTheRecommendedSizeServesTheDemand(t *testing.T) {
	asked, _ := quickstart(t)
	answer := recommended(t, asked)
	startOperator(t)
	// The size is chosen for the slow speed of the quickstart. If the machine has become
	// so slow since that the demand exceeds the capacity, the size is tried again.
	slow := float64(asked.Status.Speed[0].HighPerMille) / 1000
	bearable := slow * float64(*answer.CapacityMilliPerSecond) / 1000 / float64(asked.Spec.Demand.LoginsPerSecond)
	slowest := bearable * float64(rowOf(t, asked, answer.Variant).Calibration.HashMicroseconds)
	tooSlow := func(row v1alpha1.VariantResult) bool {
		return row.Verdict == v1alpha1.VerdictInvalid || row.Calibration != nil && float64(row.Calibration.HashMicroseconds) > slowest
	}
	e := measuredUnless(t, tiny(namespace(t), "tried", costs(answer.Cost), longer(30), func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.CPULimits = []string{answer.CPULimit}
		s.Matrix.Concurrency = []v1alpha1.Concurrency{*answer.Concurrency}
		s.Service.Replicas = answer.Replicas
		s.Load.RatesPerSecond = []intstr.IntOrString{intstr.FromInt32(asked.Spec.Demand.LoginsPerSecond)}
		s.Load.RequestTimeoutSeconds = 10
		s.Objective = asked.Spec.Objective
	}), 5*time.Minute, tooSlow)
	status := theTrial(t, e).Status
	if status.Result == nil || status.Result.Verdict == v1alpha1.VerdictInvalid || len(status.Steps) != 1 {
		t.Fatalf("%s came to %+v", e.Name, status.Result)
	}
	step, objective, rate := status.Steps[0], asked.Spec.Objective, asked.Spec.Demand.LoginsPerSecond
	if status.Calibration.RatioPerMillion <= 0 || step.Speed == nil {
		t.Fatalf("its speed is not known: calibration %+v, step %+v", status.Calibration, step)
	}
	chosenFor := float64(asked.Status.Speed[0].HashMicrosecondsAtCost8) * slow
	slower := float64(step.Speed.HashMicroseconds) * 1e6 / float64(status.Calibration.RatioPerMillion) / chosenFor
	t.Logf("at %d logins/s, with hashes that take %.3f times what the size was chosen for: %d of %d answered, p95 %dµs in %+v; %dµs were expected",
		rate, slower, step.OK, step.Scheduled, ptr.Deref(step.P95Microseconds, 0), step.P95Interval, ptr.Deref(answer.P95Microseconds, 0))
	if slower*float64(rate)*1000 > float64(*answer.CapacityMilliPerSecond) {
		t.Fatalf("in three tries the machine was %.2f times slower than in the quickstart, so that the size can't serve the demand", slower)
	}
	if step.OK < 100 || (step.Scheduled-step.OK)*1000 > int64(objective.MaxErrorPerMille)*step.Scheduled {
		t.Errorf("%d of %d logins were answered", step.OK, step.Scheduled)
	}
	// A slower service at the same rate is the same service at a higher rate, with all
	// times longer: below its capacity it holds the objective times the slowness.
	allowed := float64(objective.P95Milliseconds) * 1000 * max(1, slower)
	if step.P95Interval == nil || float64(step.P95Interval.HighMicroseconds) > allowed {
		t.Errorf("p95 lies in %+v, which does not hold %.0f µs", step.P95Interval, allowed)
	}
}

func TestADemandThatNothingCanServeIsToldSo(t *testing.T) {
	startOperator(t)
	e := measured(t, tiny(namespace(t), "toomuch", costs(6), asking(5, 6, "100m"), loaded(t, 40, 100)), 2*time.Minute)
	told := e.Status.Recommendation
	if told == nil || told.Variant != "" || told.BrokenBound != v1alpha1.BoundMaxTotalCPU || e.Status.Display.Recommended != "none" {
		t.Fatalf("5 logins/s on a tenth of a CPU: %q, %+v", e.Status.Display.Recommended, told)
	}
	if told.Nearest == nil || told.Nearest.Variant != "c6-250m" || told.Nearest.Replicas != 1 || told.Reason == "" {
		t.Errorf("the nearest is %+v, because %q", told.Nearest, told.Reason)
	}
	t.Log(told.Reason)
	sizedNoFurther(t, e)
	if e.Status.Phase != v1alpha1.ExperimentSucceeded {
		t.Errorf("no size is an answer too, and the experiment is %s", e.Status.Phase)
	}
}

// sizedNoFurther asks the same results for more than the only rate that was measured,
// which met the objective: how much more the variant serves, nobody knows.
func sizedNoFurther(t *testing.T, e *v1alpha1.SizingExperiment) {
	t.Helper()
	spec := *e.Spec.DeepCopy()
	spec.Demand.LoginsPerSecond, spec.Demand.MaxTotalCPU = 100_000, ""
	status, err := answer.WhatIf(e, trialsOf(t, e), spec)
	must(t, err)
	told := status.Recommendation
	if told == nil || told.Variant != "" || told.BrokenBound != v1alpha1.BoundCapacityUnknown || told.Nearest == nil || told.Nearest.Replicas != 0 {
		t.Errorf("100,000 logins/s from a rate that was met: %+v", told)
	}
	t.Log(told.Reason)
}

// The answer is written with the end, in one pass, which an operator may not live
// to see.
func TestAnOperatorKilledBeforeTheEndLeavesTheAnswerToTheNext(t *testing.T) {
	o := startOperator(t, "--leader-elect=false") // a successor would wait for the lease
	watched := watchGenerators(t)
	e := create(t, tiny(namespace(t), "unanswered", costs(6), asking(5, 6, "1"), loaded(t, 40, 100)))
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
	// On a busy machine the result may be Invalid, of which the answer tells too.
	answer, usable := e.Status.Recommendation, e.Status.Results[0].Verdict != v1alpha1.VerdictInvalid
	if answer == nil || usable != (answer.Variant == "c6-250m") || usable == (answer.BrokenBound == v1alpha1.BoundNoResult) {
		t.Errorf("after a result that is %s the answer is %+v", e.Status.Results[0].Verdict, answer)
	}
	if trial := theTrial(t, e); watched.jobsOfTrial(trial) != len(trial.Status.Attempts) {
		t.Errorf("%d Jobs ran for %d attempts", watched.jobsOfTrial(trial), len(trial.Status.Attempts))
	}
}

func TestPrometheusHasTheRecommendation(t *testing.T) {
	e, _ := quickstart(t)
	want := recommended(t, e).Variant
	// The operator that wrote the answer may have been scraped under several names.
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
		t.Errorf("of %d series those of %v are 1, want one of six, %s: %s", len(vector), named, want, vector)
	}
}
