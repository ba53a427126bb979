package prediction_test

import (
	"fmt"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// The largest matrix with all 64 variants measured: 60 are held out, and 32 others are
// predicted. This is computed at the end of an experiment and must take less than three
// seconds.
func BenchmarkTheLargestMatrix(b *testing.B) {
	spec, measured := quickstart()
	spec.Matrix.Costs = []int32{6, 7, 8, 9, 10, 11, 12, 13}
	spec.Matrix.CPULimits = fixture.Limits("200m", "250m", "300m", "400m", "500m", "600m", "800m", "1")
	trials := spreadOver(b, spec, measured[0])
	b.ResetTimer()
	for b.Loop() {
		rows, check := predict(spec, trials)
		if len(rows) == 0 || len(check.HeldOut) != 60 {
			b.Fatalf("%d predictions, %d held out", len(rows), len(check.HeldOut))
		}
	}
}

// spreadOver makes a trial of every variant of a matrix from one trial.
func spreadOver(t testing.TB, spec v1beta1.SizingExperimentSpec, like v1beta1.SizingTrial) []v1beta1.SizingTrial {
	t.Helper()
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	var trials []v1beta1.SizingTrial
	for i, variant := range variants {
		trial := *like.DeepCopy()
		trial.Name, trial.Spec.Variant, trial.Spec.Sequence = fmt.Sprintf("trial-%d", i), variant, int32(i+1)
		limit, err := matrix.MilliCPU(variant.CPULimit)
		if err != nil {
			t.Fatal(err)
		}
		trial.Status.Result.TrialName = trial.Name
		cal := trial.Status.Calibration
		cal.HashMicroseconds, cal.QuotaMilliCPU = 56*int64(1<<variant.Hash.Cost()), &limit
		if limit >= 1000 {
			cal.QuotaMilliCPU = nil
		}
		trial.Status.Steps = nil
		trials = append(trials, trial)
	}
	return trials
}
