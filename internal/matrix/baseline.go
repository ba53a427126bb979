package matrix

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// UnknownBaselineError means that spec.baseline names no variant that is measured.
type UnknownBaselineError struct {
	// Name that was asked for.
	Name string
	// Variants that are measured, in the matrix's order.
	Variants []string
}

// Error names the variants that can be a baseline.
func (e *UnknownBaselineError) Error() string {
	return fmt.Sprintf("baseline %q names no variant that the matrix measures; it measures: %s", e.Name, strings.Join(e.Variants, ", "))
}

// CheckBaseline tells whether the baseline, if there is one, is a variant that is
// measured: nothing can be compared with a predicted one. The schema can't tell:
// names follow from the whole matrix.
//
// Errors: *UnknownBaselineError, and those of Measured.
func CheckBaseline(spec v1alpha1.SizingExperimentSpec) error {
	if spec.Baseline == "" {
		return nil
	}
	variants, err := Measured(spec.Matrix)
	if err != nil {
		return err
	}
	unknown := &UnknownBaselineError{Name: spec.Baseline}
	for _, variant := range variants {
		if variant.Name == spec.Baseline {
			return nil
		}
		unknown.Variants = append(unknown.Variants, variant.Name)
	}
	return unknown
}
