package sizing_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// The last reconcile of the largest matrix must take less than five seconds. With evenly
// spaced logins, each of the 64 rows is simulated too.
func BenchmarkConcludeTheLargestMatrix(b *testing.B) {
	for _, arrivals := range []v1alpha1.Arrivals{v1alpha1.ArrivalsPoisson, v1alpha1.ArrivalsUniform} {
		b.Run(string(arrivals), func(b *testing.B) {
			spec, trials := largest(b)
			spec.Load.Arrivals = arrivals
			var status v1alpha1.SizingExperimentStatus
			for b.Loop() {
				if err := errors.Join(sizing.Rows(spec, trials, &status), sizing.Conclude(spec, trials, &status)); err != nil {
					b.Fatal(err)
				}
				if status.Recommendation.Variant == "" {
					b.Fatalf("nothing is recommended: %s", status.Recommendation.Reason)
				}
			}
		})
	}
}

// Rows are computed at every reconcile.
func BenchmarkRowsOfTheLargestMatrix(b *testing.B) {
	spec, trials := largest(b)
	var status v1alpha1.SizingExperimentStatus
	for b.Loop() {
		if err := sizing.Rows(spec, trials, &status); err != nil {
			b.Fatal(err)
		}
	}
}

// largest returns a matrix of 64 variants, each with a trial of the quickstart that has the
// variant's hash time and CPU limit.
func largest(b *testing.B) (v1alpha1.SizingExperimentSpec, []v1alpha1.SizingTrial) {
	b.Helper()
	experiment, measured := quickstart(b)
	spec := *experiment.Spec.DeepCopy()
	spec.Matrix.Costs = []int32{6, 7, 8, 9, 10, 11, 12, 13}
	spec.Matrix.CPULimits = []string{"200m", "250m", "300m", "400m", "500m", "600m", "800m", "1"}
	spec.Demand = &v1alpha1.Demand{LoginsPerSecond: 20}
	spec.Prices = &v1alpha1.Prices{Currency: "USD", PerCPUHour: "0.04"}
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		b.Fatal(err)
	}
	var trials []v1alpha1.SizingTrial
	for i, variant := range variants {
		limit, err := matrix.MilliCPU(variant.CPULimit)
		if err != nil {
			b.Fatal(err)
		}
		trial := measured[0].DeepCopy()
		trial.Name, trial.Spec.Variant, trial.Spec.Sequence = fmt.Sprintf("trial-%d", i), variant, int32(i+1)
		trial.Status.Calibration.HashMicroseconds, trial.Status.Calibration.QuotaMilliCPU = 56*int64(1<<variant.Cost), &limit
		trial.Status.Result.Variant = variant.Name
		capacity := 900 * limit * 1000 / (56 * int64(1<<variant.Cost))
		trial.Status.Result.CapacityMilliPerSecond = &capacity
		trial.Status.Result.CapacityInterval = nil
		trial.Status.Steps = nil
		trials = append(trials, *trial)
	}
	return spec, trials
}
