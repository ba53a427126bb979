package sizing_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// small returns an experiment with costs 8 and 10 on half a CPU, with other hashes.
func small(changes ...func(*v1beta1.SizingExperimentSpec)) v1beta1.SizingExperimentSpec {
	spec := v1beta1.SizingExperimentSpec{
		Matrix: v1beta1.Matrix{
			Costs: []int32{8, 10}, CPULimits: fixture.Limits("500m"),
			Hashes: []v1beta1.Hash{
				{Name: "session", Bcrypt: &v1beta1.Bcrypt{Cost: 10}, Sessions: true},
				{Name: "cheap", SHA256: &v1beta1.SHA256{}},
			},
		},
		Service:   v1beta1.Service{Replicas: 1},
		Load:      v1beta1.Load{Rates: &v1beta1.RatesLoad{}, RequestTimeoutSeconds: 10},
		Objective: v1beta1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: ptr.To[int32](1)},
		Demand:    &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5)},
		Prices:    &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))},
	}
	for _, change := range changes {
		change(&spec)
	}
	return spec
}

// again adds cost 10 a second time, with a name.
func again(spec *v1beta1.SizingExperimentSpec) {
	spec.Matrix.Hashes = append(spec.Matrix.Hashes, v1beta1.Hash{Name: "again", Bcrypt: &v1beta1.Bcrypt{Cost: 10}})
}

// held returns a trial of a variant with a capacity, in thousandths, on two lanes with a
// quota of half a CPU.
func held(t testing.TB, spec v1beta1.SizingExperimentSpec, variant string, capacity int64, verdict v1beta1.Verdict) v1beta1.SizingTrial {
	t.Helper()
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variants {
		if v.Name != variant {
			continue
		}
		cal := handover.Calibration{
			CalibrationResult: handover.CalibrationResult{HashMicroseconds: 56 << v.Hash.Cost(), ErrorMicroseconds: 100, Samples: 50},
			Surroundings:      handover.Surroundings{GoMaxProcs: 1, Cpuset: "0-1", QuotaMilliCPU: ptr.To[int64](500)},
		}
		return v1beta1.SizingTrial{
			Spec: v1beta1.SizingTrialSpec{Variant: v, Repetition: 1, Service: spec.Service, Load: spec.Load, Objective: spec.Objective, Seed: 7},
			Status: v1beta1.SizingTrialStatus{
				Phase: v1beta1.TrialSucceeded, Calibration: &cal,
				Result: &v1beta1.VariantResult{
					Variant: variant, Verdict: verdict, Trials: 1, Calibration: &cal.CalibrationResult,
					ObjectiveMet: ptr.To(true), CapacityMilliPerSecond: &capacity, CapacityMethod: v1beta1.CapacityMeasured,
				},
			},
		}
	}
	t.Fatalf("no variant %s", variant)
	return v1beta1.SizingTrial{}
}

// concluded returns the status at the end of an experiment.
func concluded(t testing.TB, spec v1beta1.SizingExperimentSpec, trials ...v1beta1.SizingTrial) *v1beta1.SizingExperimentStatus {
	t.Helper()
	var status v1beta1.SizingExperimentStatus
	if err := sizing.Rows(spec, trials, &status); err != nil {
		t.Fatal(err)
	}
	if err := sizing.Conclude(spec, trials, &status); err != nil {
		t.Fatal(err)
	}
	return &status
}

func row(t testing.TB, status *v1beta1.SizingExperimentStatus, variant string) *v1beta1.VariantResult {
	t.Helper()
	for i := range status.Results {
		if status.Results[i].Variant == variant {
			return &status.Results[i]
		}
	}
	t.Fatalf("no row of %s", variant)
	return nil
}
