package sizing_test

import (
	"math/big"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// asked is a question about the quickstart, a harder one, and the verdicts of its variants.
type asked struct {
	easy, hard v1alpha1.SizingExperimentSpec
	verdicts   map[string]v1alpha1.Verdict
}

// questions returns a generator of questions. Each hard one is harder in one way.
func questions(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) *rapid.Generator[asked] {
	return rapid.Custom(func(t *rapid.T) asked {
		easy := *spec.DeepCopy()
		easy.Objective.P95Milliseconds = rapid.Int32Range(100, 3000).Draw(t, "p95")
		easy.Prices = &v1alpha1.Prices{Currency: "USD", PerCPUHour: "0.04"}
		easy.Demand = &v1alpha1.Demand{
			LoginsPerSecond: rapid.Int32Range(1, 60).Draw(t, "demand"),
			HeadroomPercent: ptr.To(rapid.Int32Range(0, 60).Draw(t, "headroom")),
			MinimumCost:     ptr.To(rapid.SampledFrom([]int32{8, 10}).Draw(t, "minimum cost")),
			MaxTotalCPU:     rapid.SampledFrom([]string{"500m", "1", "2", "8"}).Draw(t, "most CPU"),
			MaxReplicas:     ptr.To(rapid.Int32Range(1, 12).Draw(t, "most replicas")),
		}
		q := asked{easy: easy, hard: *easy.DeepCopy(), verdicts: map[string]v1alpha1.Verdict{}}
		harden(t, &q.hard)
		for _, trial := range trials {
			q.verdicts[trial.Spec.Variant.Name] = rapid.SampledFrom([]v1alpha1.Verdict{
				v1alpha1.VerdictValid, v1alpha1.VerdictValid, v1alpha1.VerdictSuspect, v1alpha1.VerdictInvalid,
			}).Draw(t, "verdict")
		}
		return q
	})
}

// harden makes a question harder in one way.
func harden(t *rapid.T, spec *v1alpha1.SizingExperimentSpec) {
	demand := spec.Demand
	switch rapid.SampledFrom([]string{"demand", "objective", "p99", "budget", "replicas", "headroom"}).Draw(t, "harder by") {
	case "demand":
		demand.LoginsPerSecond += rapid.Int32Range(1, 40).Draw(t, "more")
	case "objective":
		spec.Objective.P95Milliseconds = rapid.Int32Range(50, spec.Objective.P95Milliseconds).Draw(t, "p95 then")
	case "p99":
		spec.Objective.P99Milliseconds = rapid.Int32Range(spec.Objective.P95Milliseconds, 2*spec.Objective.P95Milliseconds).Draw(t, "p99")
	case "budget":
		demand.MaxTotalCPU = "250m"
	case "replicas":
		demand.MaxReplicas = ptr.To(rapid.Int32Range(1, *demand.MaxReplicas).Draw(t, "most replicas then"))
	case "headroom":
		demand.HeadroomPercent = ptr.To(*demand.HeadroomPercent + rapid.Int32Range(1, 100).Draw(t, "more headroom"))
	}
}

// With the stored steps and the real model, a harder question never raises the cost, no
// Invalid result is shown, and every recommendation keeps its limits. A case takes almost a
// second, so there are only a few; package sizing has many.
func TestQuestionsToARealExperiment(t *testing.T) {
	experiment, measured := quickstart(t)
	generated := questions(experiment.Spec, measured)
	const cases = 8
	for seed := range cases {
		q := generated.Example(seed)
		trials := withVerdicts(measured, q.verdicts)
		easy, hard := ask(t, experiment, trials, q.easy), ask(t, experiment, trials, q.hard)
		if hard.Cost > easy.Cost {
			t.Errorf("%d: cost %d is recommended, and cost %d for the easier question", seed, hard.Cost, easy.Cost)
		}
		for _, r := range []*v1alpha1.Recommendation{easy, hard} {
			for _, size := range []*v1alpha1.Size{&r.Size, r.RunnerUp, r.Nearest} {
				if size != nil && q.verdicts[size.Variant] == v1alpha1.VerdictInvalid {
					t.Errorf("%d: %s is shown, but is Invalid", seed, size.Variant)
				}
			}
		}
		keepsBounds(t, q.easy, easy)
		keepsBounds(t, q.hard, hard)
	}
}

func withVerdicts(trials []v1alpha1.SizingTrial, verdicts map[string]v1alpha1.Verdict) []v1alpha1.SizingTrial {
	judged := slices.Clone(trials)
	for i := range judged {
		judged[i] = *judged[i].DeepCopy()
		judged[i].Status.Result.Verdict = verdicts[judged[i].Spec.Variant.Name]
	}
	return judged
}

func ask(t *testing.T, experiment *v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial, spec v1alpha1.SizingExperimentSpec) *v1alpha1.Recommendation {
	t.Helper()
	status, err := sizing.WhatIf(experiment, trials, spec)
	if err != nil {
		t.Fatal(err)
	}
	return status.Recommendation
}

func keepsBounds(t *testing.T, spec v1alpha1.SizingExperimentSpec, got *v1alpha1.Recommendation) {
	t.Helper()
	if got.Variant == "" {
		if got.BrokenBound == "" || got.Reason == "" {
			t.Errorf("nothing is recommended, without a reason: %+v", got)
		}
		return
	}
	total, most := resource.MustParse(got.TotalCPU), resource.MustParse(spec.Demand.MaxTotalCPU)
	if total.Cmp(most) > 0 || got.Replicas > *spec.Demand.MaxReplicas || got.Cost < *spec.Demand.MinimumCost {
		t.Errorf("%+v exceeds a limit of %+v", got.Size, spec.Demand)
	}
	needed := int64(spec.Demand.LoginsPerSecond) * 10 * int64(100+*spec.Demand.HeadroomPercent)
	if *got.CapacityMilliPerSecond < needed {
		t.Errorf("%+v serves less than %d/1000 s", got.Size, needed)
	}
	if got.P95Microseconds == nil || *got.P95Microseconds > 1050*int64(spec.Objective.P95Milliseconds) {
		t.Errorf("%s misses the objective of %d ms at the demand: %v", got.Variant, spec.Objective.P95Milliseconds, ptr.Deref(got.P95Microseconds, 0))
	}
	// 0.04 a CPU-hour, 730 hours.
	if month := big.NewRat(total.MilliValue()*4*730, 100_000).FloatString(2); got.PricePerMonth != month {
		t.Errorf("%s CPU cost %s a month, want %s", got.TotalCPU, got.PricePerMonth, month)
	}
}
