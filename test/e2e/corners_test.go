//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// corners are the corners of the matrix.
var corners = []string{"c6-150m", "c6-300m", "c7-150m", "c7-300m"}

// farOff is the largest error of a prediction, in thousandths, that is accepted on a busy
// machine. The benchmarks check more strictly.
const farOff = 300

// The costs are high enough that the model predicts them on a fast machine, too: it predicts no login of
// less than 2 ms.
func TestOfCornersTheRestIsPredictedAndTheModelChecked(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "corners", costs(6, 7), withDemand(2, 6, ""), func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.CPULimits, s.Matrix.Measure = []string{"150m", "200m", "250m", "300m"}, v1alpha1.MeasureCorners
		s.Load = v1alpha1.Load{Mode: v1alpha1.LoadCapacity, StepSeconds: 3, MinSamples: 72, MaxStepSeconds: 20, WarmupSeconds: 1, RequestTimeoutSeconds: 5}
	}))
	finished(t, e, 10*time.Minute)

	loaded, predicted := measuredOf(t, e), predictedOf(t, e)
	t.Logf("measured %v, predicted %v", loaded, predicted)
	for _, corner := range corners {
		if !slices.Contains(loaded, corner) {
			t.Errorf("the corner %s was not measured", corner)
		}
	}
	if len(loaded) != 6 || len(predicted) != 2 || len(e.Status.Results) != 6 {
		t.Errorf("of eight variants %d were measured and %d predicted, in %d rows; want 6, 2 and 6", len(loaded), len(predicted), len(e.Status.Results))
	}
	rowsHold(t, e, len(e.Status.Results))
	checkTheCheck(t, e)
	recommended(t, e)
}

// measuredOf returns the names of the variants that have a trial, sorted.
func measuredOf(t *testing.T, e *v1alpha1.SizingExperiment) []string {
	t.Helper()
	var names []string
	for _, trial := range trialsOf(t, e) {
		names = append(names, trial.Spec.Variant.Name)
	}
	slices.Sort(names)
	return names
}

// predictedOf returns the names of the matrix's variants that were predicted, sorted, and
// checks their numbers.
func predictedOf(t *testing.T, e *v1alpha1.SizingExperiment) []string {
	t.Helper()
	var names []string
	for _, p := range e.Status.Predictions {
		if !p.InMatrix {
			continue
		}
		names = append(names, p.Variant)
		if p.CapacityMilliPerSecond == nil || p.CapacityInterval == nil || p.P95Microseconds == nil || p.P95Interval == nil || p.Sizing == nil {
			t.Errorf("a number is missing in %+v", p)
		}
	}
	slices.Sort(names)
	return names
}

// checkTheCheck compares the variants that the model was checked against with the Valid rows
// that are not corners. How many rows are Valid depends on the machine's other work.
func checkTheCheck(t *testing.T, e *v1alpha1.SizingExperiment) {
	t.Helper()
	var want, got []string
	for _, row := range e.Status.Results {
		if row.Verdict == v1alpha1.VerdictValid && !slices.Contains(corners, row.Variant) {
			want = append(want, row.Variant)
		}
	}
	check := e.Status.ModelCheck
	if check == nil {
		if len(want) > 0 {
			t.Errorf("the model was not checked, want %v", want)
		}
		return
	}
	t.Log(check.Message)
	for _, out := range check.HeldOut {
		got = append(got, out.Variant)
		off := ptr.Deref(out.CapacityPerMille, farOff+1)
		if t.Logf("%s: capacity %d ‰, p95 %d ‰ off", out.Variant, off, ptr.Deref(out.P95PerMille, 0)); max(off, -off) > farOff {
			t.Errorf("%s was predicted as %+v", out.Variant, out)
		}
	}
	if !slices.Equal(want, got) {
		t.Errorf("the model was checked against %v, want %v", got, want)
	}
}

// Both pools select the node of the service. The test is about the hash times and the price,
// not about different machines.
func TestTheCheaperOfTwoNodePoolsIsRecommended(t *testing.T) {
	startOperator(t)
	e := measured(t, tiny(namespace(t), "pools", costs(6), longer(5), withDemand(1, 6, ""), func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.NodePools = []v1alpha1.NodePool{
			{Name: "dear", NodeSelector: map[string]v1alpha1.LabelValue{"hashmark.dev/role": "service"}},
			{
				Name: "cheap", NodeSelector: map[string]v1alpha1.LabelValue{"kubernetes.io/hostname": "node-1"}, PerCPUHour: "0.02",
				Tolerations: []v1alpha1.Toleration{{Key: "example.com/cheap", Operator: "Exists"}},
			},
		}
		s.Prices = &v1alpha1.Prices{PerCPUHour: "0.04"}
	}, loaded(t, 40, 100)), 4*time.Minute)
	want := "c6-250m-cheap"
	if rowOf(t, e, want).Verdict != v1alpha1.VerdictValid && rowOf(t, e, "c6-250m-dear").Verdict == v1alpha1.VerdictValid {
		want = "c6-250m-dear" // a doubtful result is never chosen for its price
	}
	if answer := recommended(t, e); answer.Variant != want || answer.NodePool == "cheap" && answer.PricePerMonth != "3.65" {
		t.Errorf("%s for %s a month is recommended, want %s", answer.Variant, answer.PricePerMonth, want)
	}
	var pools []string
	for _, hash := range e.Status.HashTimes {
		pools = append(pools, hash.NodePool)
		if hash.Cost != 6 || hash.HashMicroseconds <= 0 || hash.ErrorMicroseconds <= 0 || hash.CPUModel == "" {
			t.Errorf("the hash time is %+v", hash)
		}
	}
	if slices.Sort(pools); !slices.Equal(pools, []string{"cheap", "dear"}) {
		t.Errorf("the hash times are of pools %v", pools)
	}
}
