package forecast_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/forecast"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

func named(t *testing.T, trials []v1alpha1.SizingTrial, variant string) *v1alpha1.SizingTrial {
	t.Helper()
	for i := range trials {
		if trials[i].Spec.Variant.Name == variant {
			return &trials[i]
		}
	}
	t.Fatalf("there is no trial of %s", variant)
	return nil
}

func find(rows []v1alpha1.PredictedVariant, variant string) *v1alpha1.PredictedVariant {
	for i := range rows {
		if rows[i].Variant == variant {
			return &rows[i]
		}
	}
	return nil
}

func TestAPredictionHoldsTogether(t *testing.T) {
	spec, trials := quickstart(t)
	rows, check := forecast.Of(spec, trials)
	for _, row := range rows {
		if !row.ObjectiveMet || row.InMatrix || row.CapacityMilliPerSecond == nil || row.P95Microseconds == nil {
			t.Errorf("%s lacks something: %+v", row.Variant, row)
			continue
		}
		capacity, between := *row.CapacityMilliPerSecond, row.CapacityInterval
		if between.LowMilliPerSecond > capacity || capacity > between.HighMilliPerSecond || capacity >= row.BoundMilliPerSecond {
			t.Errorf("%s: capacity %d in %+v, bound %d", row.Variant, capacity, between, row.BoundMilliPerSecond)
		}
		if p95 := *row.P95Microseconds; p95 < row.HashMicroseconds || p95 <= row.P95Interval.LowMicroseconds || p95 >= row.P95Interval.HighMicroseconds {
			t.Errorf("%s: p95 %d in %+v", row.Variant, p95, row.P95Interval)
		}
	}
	c9, c11 := find(rows, "c9-500m"), find(rows, "c11-500m")
	if ratio := float64(c11.HashMicroseconds) / float64(c9.HashMicroseconds); ratio < 3.9 || ratio > 4.1 {
		t.Errorf("a hash of cost 11 takes %.2f times one of cost 9", ratio)
	}
	again, sameCheck := forecast.Of(spec, trials)
	if diff := cmp.Diff(rows, again); diff != "" || !cmp.Equal(check, sameCheck) {
		t.Errorf("the same trials are predicted otherwise (-first +second):\n%s", diff)
	}
}

func TestAStricterObjectiveIsNeverPredictedAHigherCapacity(t *testing.T) {
	spec, trials := quickstart(t)
	last := map[string]int64{}
	for _, p95 := range []int32{20, 100, 300, 420, 1000, 3000} {
		spec.Objective.P95Milliseconds = p95
		rows, _ := forecast.Of(spec, trials)
		for _, row := range rows {
			capacity := ptr.Deref(row.CapacityMilliPerSecond, 0)
			if capacity < last[row.Variant] || row.ObjectiveMet != (capacity > 0) {
				t.Errorf("%s within %d ms: %d/1000 s, within less %d", row.Variant, p95, capacity, last[row.Variant])
			}
			last[row.Variant] = capacity
		}
	}
}

// The interval says how far off the model may be in the percentile that decides, whichever
// that is.
func TestTheIntervalIsOfThePercentileThatDecides(t *testing.T) {
	spec, trials := quickstart(t)
	spec.Objective.P95Milliseconds, spec.Objective.P99Milliseconds = 3000, 500
	rows, _ := forecast.Of(spec, trials)
	for _, row := range rows {
		capacity, between := ptr.Deref(row.CapacityMilliPerSecond, 0), row.CapacityInterval
		if between == nil || between.LowMilliPerSecond >= capacity*985/1000 || between.HighMilliPerSecond <= capacity*101/100 {
			t.Errorf("%s: capacity %d, by p99, in %+v", row.Variant, capacity, between)
		}
	}
}

func TestWhatTheModelIsGivenDecidesWhatItTells(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, spec *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial)
		rows   bool
		check  *bool
		says   string
	}{
		"as it was measured": {func(*testing.T, *v1alpha1.SizingExperimentSpec, []v1alpha1.SizingTrial) {}, true, ptr.To(true), "predicts each of 2"},
		"with mode Rates nothing": {func(_ *testing.T, spec *v1alpha1.SizingExperimentSpec, _ []v1alpha1.SizingTrial) {
			spec.Load.Mode = v1alpha1.LoadRates
		}, false, nil, ""},
		"an Invalid corner is not believed": {func(t *testing.T, _ *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) {
			for _, variant := range []string{"c10-250m", "c10-1"} {
				named(t, trials, variant).Status.Result.Verdict = v1alpha1.VerdictInvalid
			}
			for _, variant := range []string{"c8-250m", "c8-1"} {
				named(t, trials, variant).Status.Calibration.ReferenceMicroseconds = 0
			}
		}, false, ptr.To(false), "predicted: 1. It takes 2"},
		"a Suspect corner counts where its cost has no Valid one": {func(t *testing.T, _ *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) {
			for _, variant := range []string{"c10-250m", "c10-1"} {
				named(t, trials, variant).Status.Result.Verdict = v1alpha1.VerdictSuspect
			}
		}, true, ptr.To(true), "predicts each of 2"},
		"and beside a Valid one it does not": {func(t *testing.T, _ *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) {
			disturbed := named(t, trials, "c10-1")
			disturbed.Status.Result.Verdict = v1alpha1.VerdictSuspect
			for i := range disturbed.Status.Steps {
				if disturbed.Status.Steps[i].Service != nil {
					disturbed.Status.Steps[i].Service.CPUMicroseconds *= 3
				}
			}
		}, true, ptr.To(true), "predicts each of 2"},
		"a Suspect variant is not held out": {func(t *testing.T, _ *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) {
			named(t, trials, "c8-500m").Status.Result.Verdict = v1alpha1.VerdictSuspect
		}, true, ptr.To(false), "predicted: 1. It takes 2"},
		"a capacity a tenth off refutes the model": {func(t *testing.T, _ *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) {
			result := named(t, trials, "c8-500m").Status.Result
			*result.CapacityMilliPerSecond = *result.CapacityMilliPerSecond * 8 / 10
		}, true, ptr.To(false), "farthest off in capacity is c8-500m"},
		"and so does a p95 a fifth off": {func(t *testing.T, _ *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) {
			*named(t, trials, "c10-500m").Status.Result.P95Microseconds *= 2
		}, true, ptr.To(false), "farthest off in p95 is c10-500m, by -5"},
		"and a variant that met the objective nowhere": {func(t *testing.T, _ *v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) {
			named(t, trials, "c10-500m").Status.Result.CapacityMilliPerSecond = nil
		}, true, ptr.To(false), "does not predict"},
		"nothing beside the corners is no check": {func(_ *testing.T, spec *v1alpha1.SizingExperimentSpec, _ []v1alpha1.SizingTrial) {
			spec.Matrix.CPULimits = []string{"250m", "1"}
		}, true, nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, trials := quickstart(t)
			test.change(t, &spec, trials)
			rows, check := forecast.Of(spec, trials)
			if (len(rows) > 0) != test.rows {
				t.Errorf("%d predictions", len(rows))
			}
			if test.check == nil {
				if check != nil {
					t.Errorf("there is a check: %+v", check)
				}
				return
			}
			if check == nil || check.Passed != *test.check || !strings.Contains(check.Message, test.says) {
				t.Errorf("the check is %+v", check)
			}
		})
	}
}

func TestTheServiceOfAVariantIsOneReplica(t *testing.T) {
	spec, trials := quickstart(t)
	spec.Service.Replicas = 3
	wanted := spec.Matrix
	wanted.Costs = append(wanted.Costs, 9)
	variants, err := matrix.Variants(wanted)
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range variants {
		service, known := forecast.ServiceOf(spec, trials, variant)
		if !known || service.Replicas != 1 || service.Hash <= 0 {
			t.Errorf("%s: %t, %+v", variant.Name, known, service)
		}
	}
	sessions := variants[0]
	sessions.Sessions = true
	if service, known := forecast.ServiceOf(spec, trials, sessions); known {
		t.Errorf("sessions have a model: %+v", service)
	}
	unknown := variants[0]
	unknown.Name, unknown.CPULimit = "c8-4", "4"
	if service, known := forecast.ServiceOf(spec, trials, unknown); known {
		t.Errorf("four CPUs of a node with one have a model: %+v", service)
	}
	if _, known := forecast.ServiceOf(spec, nil, variants[0]); known {
		t.Error("nothing was measured, and there is a model")
	}
}

// A single cost is no line: the reference hash, of cost 8, is its second point.
func TestASingleCostIsPredictedByTheReferenceHash(t *testing.T) {
	spec, trials := quickstart(t)
	spec.Matrix.Costs = []int32{10}
	var tens []v1alpha1.SizingTrial
	for _, trial := range trials {
		if trial.Spec.Variant.Cost == 10 {
			tens = append(tens, trial)
		}
	}
	whole, _ := forecast.Of(spec, trials)
	rows, check := forecast.Of(spec, tens)
	c11 := find(rows, "c11-500m")
	if c11 == nil || c11.HashMicroseconds < 110_000 || c11.HashMicroseconds > 120_000 {
		t.Errorf("cost 11 is predicted as %+v", c11)
	}
	if diff := cmp.Diff(whole, rows); diff != "" {
		t.Errorf("trials of no variant of the matrix count (-with +without them):\n%s", diff)
	}
	if check == nil || check.Passed || len(check.HeldOut) != 1 {
		t.Errorf("one variant beside the corners confirms the model: %+v", check)
	}
	for i := range tens {
		tens[i].Status.Calibration.ReferenceMicroseconds = 0
	}
	if rows, _ := forecast.Of(spec, tens); len(rows) != 0 {
		t.Errorf("without a second point there are predictions of other costs: %+v", rows)
	}
}
