package matrix

import (
	"errors"
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ErrEmpty means that a matrix has neither costs nor controls, or no CPU limits.
var ErrEmpty = errors.New("the matrix is empty: name at least one cost or control and one CPU limit")

// DuplicateVariantError means that two points of a matrix would deploy the same thing under
// the same name.
type DuplicateVariantError struct {
	// Name of both variants.
	Name string
	// First and Second are the two points as written in the matrix.
	First, Second string
}

// Error names the two entries and says what to do.
func (e *DuplicateVariantError) Error() string {
	return fmt.Sprintf("two variants resolve to %s: %s, and %s; remove one of them", e.Name, e.First, e.Second)
}

// Variants returns every point of the matrix in the written order, costs and then controls
// outermost. It fills in the defaults: one WorkerPool if no concurrency is set, as many
// workers as the CPU limit has whole CPUs, rounded up, and OWASP's parameters for controls.
// An absent queue length stays absent, because it follows from the calibration.
//
// Errors: ErrEmpty, *DuplicateVariantError, and an invalid CPU limit.
func Variants(m v1alpha1.Matrix) ([]v1alpha1.Variant, error) {
	if len(m.Costs)+len(m.Controls) == 0 || len(m.CPULimits) == 0 {
		return nil, ErrEmpty
	}
	var variants []v1alpha1.Variant
	writtenAs := map[string]string{}
	for _, p := range points(m) {
		variant, err := p.resolve(len(m.Concurrency) > 1)
		if err != nil {
			return nil, err
		}
		if first, taken := writtenAs[variant.Name]; taken {
			return nil, &DuplicateVariantError{Name: variant.Name, First: first, Second: p.String()}
		}
		writtenAs[variant.Name] = p.String()
		variants = append(variants, variant)
	}
	return variants, nil
}

// points returns the product of the matrix's lists. An absent list counts as one entry, its
// default.
func points(m v1alpha1.Matrix) []point {
	concurrency := m.Concurrency
	if len(concurrency) == 0 {
		concurrency = []v1alpha1.Concurrency{{Mode: v1alpha1.ConcurrencyWorkerPool}}
	}
	pools := []*v1alpha1.NodePool{nil}
	if len(m.NodePools) > 0 {
		pools = nil
		for i := range m.NodePools {
			pools = append(pools, &m.NodePools[i])
		}
	}
	var all []point
	for _, hashing := range hashings(m) {
		for _, limit := range m.CPULimits {
			for _, c := range concurrency {
				for _, pool := range pools {
					all = append(all, point{hashing: hashing, limit: limit, concurrency: c, pool: pool})
				}
			}
		}
	}
	return all
}
