package matrix

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// UnknownBaselineError means that spec.baseline is not a measured variant.
type UnknownBaselineError struct {
	// Name is the value of spec.baseline.
	Name string
	// Variants are the names of the measured variants, in the matrix's order.
	Variants []string
}

// Error lists the variants that can be a baseline.
func (e *UnknownBaselineError) Error() string {
	return fmt.Sprintf("baseline %q is not a measured variant; choose one of: %s", e.Name, strings.Join(e.Variants, ", "))
}

// CheckBaseline returns an error if the baseline is set and is not a measured variant:
// nothing can be compared with a predicted one. The schema can't check this, because names
// follow from the whole matrix.
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
