package matrix

import (
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestABaselineIsAVariantThatIsMeasured(t *testing.T) {
	all := v1alpha1.Matrix{Costs: []int32{8, 10}, CPULimits: []string{"250m", "1"}}
	corners := v1alpha1.Matrix{Costs: []int32{8, 9, 10, 11, 12}, CPULimits: []string{"1"}, Measure: v1alpha1.MeasureCorners}
	for name, test := range map[string]struct {
		matrix         v1alpha1.Matrix
		baseline, want string
	}{
		"no baseline":                 {v1alpha1.Matrix{}, "", ""},
		"the first variant":           {all, "c8-250m", ""},
		"the last variant":            {all, "c10-1", ""},
		"a variant that is not there": {all, "c12-1", `baseline "c12-1" is not a measured variant; choose one of: c8-250m, c8-1, c10-250m, c10-1`},
		"the beginning of a name":     {all, "c8", `baseline "c8" is not a measured variant; choose one of: c8-250m, c8-1, c10-250m, c10-1`},
		"a corner":                    {corners, "c12-1", ""},
		"a variant that is predicted": {corners, "c11-1", `baseline "c11-1" is not a measured variant; choose one of: c8-1, c9-1, c10-1, c12-1`},
		"no matrix":                   {v1alpha1.Matrix{}, "c8-1", ErrEmpty.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckBaseline(v1alpha1.SizingExperimentSpec{Matrix: test.matrix, Baseline: test.baseline})
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
