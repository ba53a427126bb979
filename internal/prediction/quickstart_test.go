package prediction_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// quickstart returns the experiment's spec and its measured trials.
func quickstart() (v1beta1.SizingExperimentSpec, []v1beta1.SizingTrial) {
	experiment, trials := fixture.Quickstart()
	return experiment.Spec, trials
}

// predict returns the predictions from trials and their rows, and the check of the model.
func predict(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) ([]v1beta1.PredictedVariant, *v1beta1.ModelCheck) {
	measured, _ := matrix.Measured(spec, nil)
	return prediction.Of(spec, trials, results.Results(measured, trials, ""), nil)
}

// The model must predict the two held-out variants within 10 % in capacity and 20 % in p95 at
// 70 % load.
func TestTheQuickstartIsPredictedFromItsCorners(t *testing.T) {
	spec, trials := quickstart()
	rows, check := predict(spec, trials)
	if check == nil || !check.Passed {
		t.Fatalf("the model failed its check: %+v", check)
	}
	var held []string
	for _, h := range check.HeldOut {
		held = append(held, h.Variant)
		if off := *h.CapacityPerMille; off < -100 || off > 100 {
			t.Errorf("%s: capacity is predicted %+d thousandths off", h.Variant, off)
		}
		if off := *h.P95PerMille; off < -200 || off > 200 {
			t.Errorf("%s: p95 is predicted %+d thousandths off", h.Variant, off)
		}
	}
	if diff := cmp.Diff([]string{"c8-500m", "c10-500m"}, held); diff != "" {
		t.Errorf("held out (-want +got):\n%s", diff)
	}
	var predicted []string
	for _, row := range rows {
		predicted = append(predicted, row.Variant)
	}
	if diff := cmp.Diff([]string{"c9-250m", "c9-500m", "c9-1", "c11-250m", "c11-500m", "c11-1"}, predicted); diff != "" {
		t.Errorf("predicted (-want +got):\n%s", diff)
	}
}

// With Corners the two variants that are held out here would be measured too. With one more
// limit, some variants of the matrix are only predicted.
func TestAVariantThatCornersLeavesOutIsPredictedFirst(t *testing.T) {
	spec, trials := quickstart()
	spec.Matrix.Measure = v1beta1.MeasureCorners
	spec.Matrix.CPULimits = fixture.Limits("250m", "500m", "750m", "1")
	rows, check := predict(spec, trials)
	if len(rows) < 2 || rows[0].Variant != "c10-500m" && rows[0].Variant != "c8-500m" && rows[0].Variant != "c8-750m" || !rows[0].InMatrix {
		t.Fatalf("the first prediction is %+v", rows)
	}
	if check == nil {
		t.Fatal("there is no check")
	}
	for i := 1; i < len(rows); i++ {
		if rows[i].InMatrix && !rows[i-1].InMatrix {
			t.Errorf("%s is in the matrix but is listed after %s", rows[i].Variant, rows[i-1].Variant)
		}
	}
}
