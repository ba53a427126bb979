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
	if row := rowOf(t, e, answer.Variant); row.Verdict != v1alpha1.VerdictValid || row.Sizing == nil || row.Sizing.Replicas != answer.Replicas {
		t.Errorf("the row of %s is %s with sizing %+v", answer.Variant, row.Verdict, row.Sizing)
	}
	if answer.PricePerMonth == "" || answer.PricePerMillionLogins == "" || answer.AttackerPricePerBillionGuesses == "" {
		t.Errorf("a price is missing of %+v", answer.Size)
	}
	if want := fmt.Sprintf("%d×%s", answer.Replicas, answer.Variant); e.Status.Display.Recommended != want {
		t.Errorf("kubectl get says %q, want %q", e.Status.Display.Recommended, want)
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
	e := measured(t, tiny(namespace(t), "tried", costs(answer.Cost), longer(60), func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.CPULimits = []string{answer.CPULimit}
		s.Matrix.Concurrency = []v1alpha1.Concurrency{*answer.Concurrency}
		s.Service.Replicas = answer.Replicas
		s.Load.RatesPerSecond = []intstr.IntOrString{intstr.FromInt32(asked.Spec.Demand.LoginsPerSecond)}
		s.Load.RequestTimeoutSeconds = 10
		s.Objective = asked.Spec.Objective
	}), 5*time.Minute)
	status := theTrial(t, e).Status
	if status.Result == nil || status.Result.Verdict == v1alpha1.VerdictInvalid || len(status.Steps) != 1 {
		t.Fatalf("%s came to %+v", e.Name, status.Result)
	}
	step, objective := status.Steps[0], asked.Spec.Objective
	t.Logf("at %d logins/s: %d of %d answered, p95 %dµs in %+v; %dµs were expected", asked.Spec.Demand.LoginsPerSecond,
		step.OK, step.Scheduled, ptr.Deref(step.P95Microseconds, 0), step.P95Interval, ptr.Deref(answer.P95Microseconds, 0))
	if step.OK < 100 || (step.Scheduled-step.OK)*1000 > int64(objective.MaxErrorPerMille)*step.Scheduled {
		t.Errorf("%d of %d logins were answered", step.OK, step.Scheduled)
	}
	if step.P95Interval == nil || step.P95Interval.HighMicroseconds > int64(objective.P95Milliseconds)*1000 {
		t.Errorf("p95 lies in %+v, which does not hold %d ms", step.P95Interval, objective.P95Milliseconds)
	}
}

func TestADemandThatNothingCanServeIsToldSo(t *testing.T) {
	startOperator(t)
	e := measured(t, tiny(namespace(t), "toomuch", costs(6), asking(100_000, 6, "500m")), 2*time.Minute)
	answer := e.Status.Recommendation
	if answer == nil || answer.Variant != "" || answer.BrokenBound != v1alpha1.BoundMaxTotalCPU || e.Status.Display.Recommended != "none" {
		t.Fatalf("100,000 logins/s on half a CPU: %q, %+v", e.Status.Display.Recommended, answer)
	}
	if answer.Nearest == nil || answer.Nearest.Variant != "c6-250m" || answer.Nearest.Replicas < 1000 || answer.Reason == "" {
		t.Errorf("the nearest is %+v, because %q", answer.Nearest, answer.Reason)
	}
	t.Log(answer.Reason)
	if e.Status.Phase != v1alpha1.ExperimentSucceeded {
		t.Errorf("no size is an answer too, and the experiment is %s", e.Status.Phase)
	}
}

// The answer is written with the end, in one pass, which an operator may not live
// to see.
func TestAnOperatorKilledBeforeTheEndLeavesTheAnswerToTheNext(t *testing.T) {
	o := startOperator(t, "--leader-elect=false") // a successor would wait for the lease
	watched := watchGenerators(t)
	e := create(t, tiny(namespace(t), "unanswered", costs(6), asking(5, 6, "1")))
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
