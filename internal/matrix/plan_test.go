package matrix

import (
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func experiment(change func(*v1beta1.SizingExperiment)) *v1beta1.SizingExperiment {
	exp := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Name: "login-sizing", UID: "0b1e9a52-9a1f-4b0e-8f53-53c7f6a1a001"},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:           v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("250m", "1")},
			Objective:        v1beta1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: ptr.To[int32](1)},
			Load:             v1beta1.Load{Rates: &v1beta1.RatesLoad{PerSecond: []intstr.IntOrString{intstr.FromInt32(5)}}},
			Service:          v1beta1.Service{Replicas: 2, MemoryLimit: ptr.To(intstr.Parse("128Mi"))},
			Generator:        v1beta1.Generator{CPULimit: ptr.To(intstr.Parse("500m"))},
			Repetitions:      ptr.To[int32](2),
			AttemptsPerTrial: ptr.To[int32](3),
		},
	}
	if change != nil {
		change(exp)
	}
	return exp
}

func names(t *testing.T, exp *v1beta1.SizingExperiment, seed int64) []string {
	t.Helper()
	trials, err := Plan(exp, seed)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, trial := range trials {
		all = append(all, trial.Name)
	}
	return all
}

// A seed promises the same order on every machine and after every upgrade. If this test
// fails, that promise is broken.
func TestPlanIsTheSameForTheSameSeedForEver(t *testing.T) {
	want := []string{
		"login-sizing-c10-250m-1-c0a95", "login-sizing-c10-1-1-c0a95", "login-sizing-c8-1-1-c0a95", "login-sizing-c8-250m-1-c0a95",
		"login-sizing-c8-250m-2-c0a95", "login-sizing-c10-1-2-c0a95", "login-sizing-c8-1-2-c0a95", "login-sizing-c10-250m-2-c0a95",
	}
	if diff := cmp.Diff(want, names(t, experiment(nil), 7)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestPlanMeasuresEveryVariantOnceBeforeAnyTwice(t *testing.T) {
	want := []string{
		"login-sizing-c10-1-1-c0a95", "login-sizing-c10-1-2-c0a95", "login-sizing-c10-250m-1-c0a95", "login-sizing-c10-250m-2-c0a95",
		"login-sizing-c8-1-1-c0a95", "login-sizing-c8-1-2-c0a95", "login-sizing-c8-250m-1-c0a95", "login-sizing-c8-250m-2-c0a95",
	}
	orders := map[string]bool{}
	for seed := range int64(50) {
		got := names(t, experiment(nil), seed)
		orders[strings.Join(got, " ")] = true
		for _, name := range got[:4] {
			if !strings.HasSuffix(name, "-1-c0a95") {
				t.Fatalf("seed %d: %s came before every variant had been measured once", seed, name)
			}
		}
		sort.Strings(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: the shuffle lost or doubled a trial (-want +got):\n%s", seed, diff)
		}
	}
	if len(orders) < 40 {
		t.Errorf("50 seeds gave only %d orders", len(orders))
	}
}

func TestPlanCopiesTheQuestionIntoEveryTrial(t *testing.T) {
	exp := experiment(nil)
	trials, err := Plan(exp, 7)
	if err != nil {
		t.Fatal(err)
	}
	want := v1beta1.SizingTrialSpec{
		Role: v1beta1.RoleMeasurement,
		Variant: v1beta1.Variant{Name: "c10-250m", Hash: v1beta1.BcryptHash(10), CPULimit: "250m",
			Concurrency: pool(ptr.To[int32](1), nil)},
		Repetition: 2, Sequence: 8,
		Service: exp.Spec.Service, Generator: exp.Spec.Generator, Load: exp.Spec.Load, Objective: exp.Spec.Objective,
		Seed: 7, Attempts: 3, Suspend: true,
	}
	if diff := cmp.Diff(want, trials[7].Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	trials[7].Spec.Load.Rates.PerSecond[0] = intstr.FromInt32(9)
	if exp.Spec.Load.Rates.PerSecond[0].IntValue() != 5 {
		t.Error("a trial shares its rates with the experiment, which comes from a cache")
	}
}

func TestTrialNamesDifferWhenAnExperimentIsCreatedAgain(t *testing.T) {
	again := experiment(func(e *v1beta1.SizingExperiment) { e.UID = "another" })
	if names(t, experiment(nil), 7)[0] == names(t, again, 7)[0] {
		t.Error("the trials of a new experiment have the names of the old one's")
	}
}

func TestSeedIsTheSpecsOrDrawnFromTheUID(t *testing.T) {
	given := experiment(func(e *v1beta1.SizingExperiment) { e.Spec.Seed = ptr.To[int64](0) })
	if got := Seed(given); got != 0 {
		t.Errorf("a given seed of 0 became %d", got)
	}
	drawn := Seed(experiment(nil))
	if drawn != Seed(experiment(nil)) {
		t.Error("the drawn seed is not the same the second time")
	}
	if drawn < 0 || drawn > 1<<32-1 {
		t.Errorf("drawn seed %d is outside the API's bounds", drawn)
	}
	if drawn == Seed(experiment(func(e *v1beta1.SizingExperiment) { e.UID = "another" })) {
		t.Error("two experiments drew the same seed")
	}
}

func TestSamePlan(t *testing.T) {
	plan := func(change func(*v1beta1.SizingTrialSpec)) v1beta1.SizingTrialSpec {
		trials, err := Plan(experiment(nil), 7)
		if err != nil {
			t.Fatal(err)
		}
		change(&trials[0].Spec)
		return trials[0].Spec
	}
	tests := map[string]struct {
		change func(*v1beta1.SizingTrialSpec)
		want   bool
	}{
		"an unchanged spec is the same plan":        {func(*v1beta1.SizingTrialSpec) {}, true},
		"suspend is not part of the plan":           {func(s *v1beta1.SizingTrialSpec) { s.Suspend = false }, true},
		"another cost is another plan":              {func(s *v1beta1.SizingTrialSpec) { s.Variant.Hash = v1beta1.BcryptHash(4) }, false},
		"another number of workers is another plan": {func(s *v1beta1.SizingTrialSpec) { s.Variant.Concurrency.Workers = ptr.To[int32](9) }, false},
		"another generator is another plan":         {func(s *v1beta1.SizingTrialSpec) { s.Generator.CPULimit = ptr.To(intstr.Parse("20m")) }, false},
		"another rate is another plan":              {func(s *v1beta1.SizingTrialSpec) { s.Load.Rates.PerSecond[0] = intstr.FromInt32(6) }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := SamePlan(plan(func(*v1beta1.SizingTrialSpec) {}), plan(test.change)); got != test.want {
				t.Errorf("SamePlan is %v, want %v", got, test.want)
			}
		})
	}
	with := func(tolerations []v1beta1.Toleration) v1beta1.SizingTrialSpec {
		return plan(func(s *v1beta1.SizingTrialSpec) { s.Variant.NodePool = &v1beta1.NodePool{Tolerations: tolerations} })
	}
	if !SamePlan(with(nil), with([]v1beta1.Toleration{})) {
		t.Error("a list that a round trip made absent is another plan")
	}
}
