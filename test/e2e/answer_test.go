//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// recommended returns what an experiment recommends, and fails the test if it recommends
// nothing.
func recommended(t *testing.T, e *v1beta1.SizingExperiment) *v1beta1.Recommendation {
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
	if most := resource.MustParse(e.Spec.Demand.MaxTotalCPU.String()); total.Cmp(most) > 0 || total.MilliValue() != int64(answer.Replicas)*limit.MilliValue() {
		t.Errorf("%d replicas of %s have a total CPU of %s, of at most %s", answer.Replicas, answer.CPULimit, answer.TotalCPU, e.Spec.Demand.MaxTotalCPU.String())
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
func followsFromItsRow(t *testing.T, e *v1beta1.SizingExperiment, answer *v1beta1.Recommendation) {
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
		if other.Hash.Cost() != answer.Cost || other.Sizing == nil || other.Verdict != v1beta1.VerdictValid {
			continue
		}
		if row.Verdict != v1beta1.VerdictValid {
			t.Errorf("%s is recommended and %s, but %s is Valid", row.Variant, row.Verdict, other.Variant)
		}
		if needs := resource.MustParse(other.Sizing.TotalCPU); needs.Cmp(taken) < 0 {
			t.Errorf("%s uses %s of CPU, but %s would use %s", row.Variant, answer.TotalCPU, other.Variant, other.Sizing.TotalCPU)
		}
	}
}

func rowOf(t *testing.T, e *v1beta1.SizingExperiment, variant string) v1beta1.VariantResult {
	t.Helper()
	at := slices.IndexFunc(e.Status.Results, func(row v1beta1.VariantResult) bool { return row.Variant == variant })
	if at < 0 {
		t.Fatalf("%s has no row of %s", e.Name, variant)
	}
	return e.Status.Results[at]
}

// The recommendation must have been verified at the demanded rate. On a machine that does
// other work the outcome may be undecided, but the size must never fail.
func TestTheQuickstartsAnswerWasVerified(t *testing.T) {
	e, _ := quickstart(t)
	recommendation := recommended(t, e)
	if len(e.Status.Verifications) != 1 || int(e.Status.Progress.Trials) != len(trialsOf(t, e)) {
		t.Fatalf("%d trials with these verifications were run: %+v", e.Status.Progress.Trials, e.Status.Verifications)
	}
	v := e.Status.Verifications[0]
	if v.Variant != recommendation.Variant || v.Replicas != recommendation.Replicas || v.DrivenReplicas != 1 || v.OfferedMilliPerSecond < 5000/int64(v.Replicas) {
		t.Errorf("%d×%s is recommended, but this was run: %+v", recommendation.Replicas, recommendation.Variant, v)
	}
	trial := &v1beta1.SizingTrial{}
	must(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: e.Namespace, Name: v.TrialName}, trial))
	row := rowOf(t, e, recommendation.Variant)
	if trial.Status.Result == nil || trial.Status.Result.Verdict != v1beta1.VerdictValid {
		t.Logf("the verification was disturbed: %s", v.Message)
		if v.Outcome == v1beta1.VerificationMet || recommendation.Confidence == v1beta1.ConfidenceHigh {
			t.Errorf("it counts although it was disturbed: %+v, confidence %s", v, recommendation.Confidence)
		}
		return
	}
	if v.Outcome != v1beta1.VerificationMet || recommendation.Verified != v.Outcome || e.Status.Display.Verified != "yes" {
		t.Errorf("the size was not verified, in columns %q: %s", e.Status.Display.Verified, v.Message)
	}
	// The pod of the verification can be so slow that the headroom takes more replicas.
	confirmed := row.Verdict == v1beta1.VerdictValid && row.CapacityMethod == v1beta1.CapacityBoth && !strings.Contains(recommendation.Reason, "the headroom takes")
	if (recommendation.Confidence == v1beta1.ConfidenceHigh) != confirmed {
		t.Errorf("a verified size of a row with verdict %s and capacity method %s has confidence %s", row.Verdict, row.CapacityMethod, recommendation.Confidence)
	}
	driven := int64(0)
	for _, step := range trial.Status.Steps {
		driven += step.Scheduled
		if ptr.Deref(step.OfferedMilliPerSecond, 0) != v.OfferedMilliPerSecond || step.SlowerThanP95 == nil || step.Service == nil {
			t.Errorf("a step of the verification: %+v", step)
		}
	}
	if v.Counts == nil || v.Counts.Logins != driven || driven < int64(loadplan.FirstCheck(e.Spec.Objective)) {
		t.Errorf("%d logins were sent, but this was counted: %+v", driven, v.Counts)
	}
}
