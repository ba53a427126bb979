package prediction_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func named(t *testing.T, trials []v1beta1.SizingTrial, variant string) *v1beta1.SizingTrial {
	t.Helper()
	for i := range trials {
		if trials[i].Spec.Variant.Name == variant {
			return &trials[i]
		}
	}
	t.Fatalf("no trial of %s was found", variant)
	return nil
}

func find(rows []v1beta1.PredictedVariant, variant string) *v1beta1.PredictedVariant {
	for i := range rows {
		if rows[i].Variant == variant {
			return &rows[i]
		}
	}
	return nil
}

func TestAPredictionHoldsTogether(t *testing.T) {
	spec, trials := quickstart()
	rows, check := predict(spec, trials)
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
	again, sameCheck := predict(spec, trials)
	if diff := cmp.Diff(rows, again); diff != "" || !cmp.Equal(check, sameCheck) {
		t.Errorf("a second prediction from the same trials differs (-first +second):\n%s", diff)
	}
}

func TestAStricterObjectiveIsNeverPredictedAHigherCapacity(t *testing.T) {
	spec, trials := quickstart()
	last := map[string]int64{}
	for _, p95 := range []int32{20, 100, 300, 420, 1000, 3000} {
		spec.Objective.P95Milliseconds = p95
		rows, _ := predict(spec, trials)
		for _, row := range rows {
			capacity := ptr.Deref(row.CapacityMilliPerSecond, 0)
			if capacity < last[row.Variant] || row.ObjectiveMet != (capacity > 0) {
				t.Errorf("%s within %d ms: %d/1000 s, and %d within less", row.Variant, p95, capacity, last[row.Variant])
			}
			last[row.Variant] = capacity
		}
	}
}

// The interval says how far off the model may be in the percentile that decides, whichever
// that is.
func TestTheIntervalIsOfThePercentileThatDecides(t *testing.T) {
	spec, trials := quickstart()
	spec.Objective.P95Milliseconds, spec.Objective.P99Milliseconds = 3000, ptr.To[int32](500)
	rows, _ := predict(spec, trials)
	for _, row := range rows {
		capacity, between := ptr.Deref(row.CapacityMilliPerSecond, 0), row.CapacityInterval
		if between == nil || between.LowMilliPerSecond >= capacity*985/1000 || between.HighMilliPerSecond <= capacity*101/100 {
			t.Errorf("%s: capacity %d, by p99, in %+v", row.Variant, capacity, between)
		}
	}
}

func TestPredictUsesItsInput(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, spec *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial)
		rows   bool
		check  *bool
		says   string
	}{
		"as it was measured": {func(*testing.T, *v1beta1.SizingExperimentSpec, []v1beta1.SizingTrial) {}, true, ptr.To(true), "predicts each of 2"},
		"with mode Rates there are no predictions": {func(_ *testing.T, spec *v1beta1.SizingExperimentSpec, _ []v1beta1.SizingTrial) {
			spec.Load.Capacity, spec.Load.Rates = nil, &v1beta1.RatesLoad{}
		}, false, nil, ""},
		"an Invalid corner does not count": {func(t *testing.T, _ *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) {
			for _, variant := range []string{"c10-250m", "c10-1"} {
				named(t, trials, variant).Status.Result.Verdict = v1beta1.VerdictInvalid
			}
			for _, variant := range []string{"c8-250m", "c8-1"} {
				named(t, trials, variant).Status.Calibration.ReferenceMicroseconds = 0
			}
		}, false, ptr.To(false), "predicted is 1, and the check needs 2"},
		"a Suspect corner counts if its cost has no Valid one": {func(t *testing.T, _ *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) {
			for _, variant := range []string{"c10-250m", "c10-1"} {
				named(t, trials, variant).Status.Result.Verdict = v1beta1.VerdictSuspect
			}
		}, true, ptr.To(true), "predicts each of 2"},
		"a Suspect corner does not count if its cost has a Valid one": {func(t *testing.T, _ *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) {
			disturbed := named(t, trials, "c10-1")
			disturbed.Status.Result.Verdict = v1beta1.VerdictSuspect
			for i := range disturbed.Status.Steps {
				if disturbed.Status.Steps[i].Service != nil {
					disturbed.Status.Steps[i].Service.CPUMicroseconds *= 3
				}
			}
		}, true, ptr.To(true), "predicts each of 2"},
		"a Suspect variant is not held out": {func(t *testing.T, _ *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) {
			named(t, trials, "c8-500m").Status.Result.Verdict = v1beta1.VerdictSuspect
		}, true, ptr.To(false), "predicted is 1, and the check needs 2"},
		"the model fails if a capacity is more than a tenth off": {func(t *testing.T, _ *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) {
			result := named(t, trials, "c8-500m").Status.Result
			*result.CapacityMilliPerSecond = *result.CapacityMilliPerSecond * 8 / 10
		}, true, ptr.To(false), "the largest error in capacity is that of c8-500m"},
		"the model fails if a p95 is more than a fifth off": {func(t *testing.T, _ *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) {
			*named(t, trials, "c10-500m").Status.Result.P95Microseconds *= 2
		}, true, ptr.To(false), "the largest error in p95 is that of c10-500m, −5"},
		"the model fails if a variant met the objective at no rate": {func(t *testing.T, _ *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) {
			named(t, trials, "c10-500m").Status.Result.CapacityMilliPerSecond = nil
		}, true, ptr.To(false), "does not predict"},
		"without other variants than the corners there is no check": {func(_ *testing.T, spec *v1beta1.SizingExperimentSpec, _ []v1beta1.SizingTrial) {
			spec.Matrix.CPULimits = fixture.Limits("250m", "1")
		}, true, nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, trials := quickstart()
			test.change(t, &spec, trials)
			rows, check := predict(spec, trials)
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
	spec, trials := quickstart()
	spec.Service.Replicas = 3
	wanted := spec.Matrix
	wanted.Costs = append(wanted.Costs, 9)
	variants, err := matrix.Variants(wanted)
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range variants {
		service, known := prediction.ServiceOf(spec, trials, variant)
		if !known || service.Replicas != 1 || service.Hash <= 0 {
			t.Errorf("%s: %t, %+v", variant.Name, known, service)
		}
	}
	sessions := variants[0]
	sessions.Hash.Sessions = true
	if service, known := prediction.ServiceOf(spec, trials, sessions); known {
		t.Errorf("sessions have a model: %+v", service)
	}
	unknown := variants[0]
	unknown.Name, unknown.CPULimit = "c8-4", "4"
	if service, known := prediction.ServiceOf(spec, trials, unknown); known {
		t.Errorf("four CPUs of a node with one have a model: %+v", service)
	}
	if _, known := prediction.ServiceOf(spec, nil, variants[0]); known {
		t.Error("nothing was measured, but there is a model")
	}
}

// A single cost does not give a line: the reference hash, at cost 8, is the second point.
func TestASingleCostIsPredictedByTheReferenceHash(t *testing.T) {
	spec, trials := quickstart()
	tens := onlyCost10(&spec, trials)
	whole, _ := predict(spec, trials)
	rows, check := predict(spec, tens)
	c11 := find(rows, "c11-500m")
	if c11 == nil || c11.HashMicroseconds < 110_000 || c11.HashMicroseconds > 120_000 {
		t.Errorf("cost 11 is predicted as %+v", c11)
	}
	if diff := cmp.Diff(whole, rows); diff != "" {
		t.Errorf("trials outside of the matrix change the predictions (-with +without them):\n%s", diff)
	}
	if check == nil || check.Passed || len(check.HeldOut) != 1 {
		t.Errorf("a single held-out variant confirms the model: %+v", check)
	}
	for i := range tens {
		tens[i].Status.Calibration.ReferenceMicroseconds = 0
	}
	if rows, _ := predict(spec, tens); len(rows) != 0 {
		t.Errorf("without a second point there are predictions of other costs: %+v", rows)
	}
}

// Two costs of a user's own service fit any line, and its one cost is joined to the reference by the line of a hash.
func TestCostsOfAUsersServiceAreLessSure(t *testing.T) {
	widthOfP95 := func(own *v1beta1.OwnService) int64 {
		spec, trials := quickstart()
		for i := range trials {
			trials[i].Spec.Service.Own = own
		}
		rows, _ := predict(spec, trials)
		interval := find(rows, "c11-500m").P95Interval
		return interval.HighMicroseconds - interval.LowMicroseconds
	}
	if plain, own := widthOfP95(nil), widthOfP95(&v1beta1.OwnService{}); own < plain*11/10 {
		t.Errorf("p95 of a user's own service has an interval of %d µs, and of Hashmark's %d µs", own, plain)
	}
	hash := func(own *v1beta1.OwnService) int64 {
		spec, trials := quickstart()
		tens := onlyCost10(&spec, trials)
		for i := range tens {
			tens[i].Spec.Service.Own = own
			tens[i].Status.Speed, tens[i].Status.Calibration.ReferenceMicroseconds = nil, tens[i].Status.Calibration.ReferenceMicroseconds*6/5
		}
		rows, _ := predict(spec, tens)
		return find(rows, "c11-500m").HashMicroseconds
	}
	if plain, own := hash(nil), hash(&v1beta1.OwnService{}); own != plain {
		t.Errorf("cost 11 of a user's own service takes %d µs, want %d", own, plain)
	}
}
