package matrix

import (
	"errors"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestABaselineIsAVariantThatIsMeasured(t *testing.T) {
	tests := map[string]struct {
		baseline string
		want     string
	}{
		"no baseline":                 {"", ""},
		"the first variant":           {"c8-250m", ""},
		"the last variant":            {"c10-1", ""},
		"a variant that is not there": {"c12-1", `baseline "c12-1" is not a measured variant; choose one of: c8-250m, c8-1, c10-250m, c10-1`},
		"the beginning of a name":     {"c8", `baseline "c8" is not a measured variant; choose one of: c8-250m, c8-1, c10-250m, c10-1`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := CheckBaseline(experiment(func(e *v1alpha1.SizingExperiment) { e.Spec.Baseline = test.baseline }).Spec)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error is %q, want %q", got, test.want)
			}
		})
	}
}

func TestABaselineThatIsLeftToPredictionIsRefused(t *testing.T) {
	spec := v1alpha1.SizingExperimentSpec{Matrix: v1alpha1.Matrix{
		Costs: []int32{8, 9, 10, 11, 12}, CPULimits: []string{"1"}, Measure: v1alpha1.MeasureCorners,
	}}
	measured, err := Measured(spec.Matrix)
	if err != nil || len(measured) != 4 {
		t.Fatalf("%d variants are measured, error %v; want the two ends and two more", len(measured), err)
	}
	for _, variant := range measured {
		if spec.Baseline = variant.Name; CheckBaseline(spec) != nil {
			t.Errorf("%s is measured and refused: %v", spec.Baseline, CheckBaseline(spec))
		}
	}
	variants, _ := Variants(spec.Matrix) // as Measured, without an error
	refused := 0
	for _, variant := range variants {
		spec.Baseline = variant.Name
		if unknown := (*UnknownBaselineError)(nil); errors.As(CheckBaseline(spec), &unknown) {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d of five variants are refused as a baseline, want only the one that is not measured", refused)
	}
}

func TestABaselineOfNoMatrixFailsAsTheMatrixDoes(t *testing.T) {
	spec := v1alpha1.SizingExperimentSpec{Baseline: "c8-1"}
	if err := CheckBaseline(spec); !errors.Is(err, ErrEmpty) {
		t.Errorf("error is %v, want %v", err, ErrEmpty)
	}
}
