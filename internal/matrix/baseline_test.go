package matrix

import (
	"errors"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestABaselineIsAVariantOfTheMatrix(t *testing.T) {
	tests := map[string]struct {
		baseline string
		want     string
	}{
		"none is none to check":       {"", ""},
		"the first variant":           {"c8-250m", ""},
		"the last variant":            {"c10-1", ""},
		"a variant that is not there": {"c12-1", `baseline "c12-1" names no variant of the matrix; it has: c8-250m, c8-1, c10-250m, c10-1`},
		"the beginning of a name":     {"c8", `baseline "c8" names no variant of the matrix; it has: c8-250m, c8-1, c10-250m, c10-1`},
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

func TestABaselineOfNoMatrixFailsAsTheMatrixDoes(t *testing.T) {
	spec := v1alpha1.SizingExperimentSpec{Baseline: "c8-1"}
	if err := CheckBaseline(spec); !errors.Is(err, ErrEmpty) {
		t.Errorf("error is %v, want %v", err, ErrEmpty)
	}
}
