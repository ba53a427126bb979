package prediction

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/password"
)

const (
	// mostRows is the highest number of predictions, unless the matrix itself has more
	// variants that were not measured.
	mostRows = 32
	// farApart is the ratio of two measured limits above which limits between them are
	// predicted.
	farApart = 2
)

// unmeasured returns the variants to predict, the most useful first: those of the matrix that were not
// measured, and beyond it costs between and above, limits far apart, and twice the largest limit.
func (f *predictor) unmeasured() (leftOut, beyond []v1beta1.Variant) {
	m := f.spec.Matrix
	for _, v := range f.variants {
		known := slices.ContainsFunc(f.measured, func(m v1beta1.Variant) bool { return m.Name == v.Name })
		if v.Hash.IsCost() && !known {
			leftOut = append(leftOut, v)
		}
	}
	beyond = at(m, furtherCosts(matrix.Costs(m)), m.CPULimits)
	for _, limit := range furtherLimits(m.CPULimits) {
		beyond = append(beyond, at(m, matrix.Costs(m), []intstr.IntOrString{intstr.Parse(matrix.Quantity(limit))})...)
	}
	return leftOut, beyond
}

func furtherCosts(costs []int32) []int32 {
	if len(costs) == 0 {
		return nil
	}
	var further []int32
	for cost := slices.Min(costs); cost <= min(slices.Max(costs)+1, password.MaxCost); cost++ {
		if !slices.Contains(costs, cost) {
			further = append(further, cost)
		}
	}
	return further
}

// furtherLimits returns the doublings between limits that are far apart, and twice the
// largest, in thousandths.
func furtherLimits(written []intstr.IntOrString) []int64 {
	var limits, further []int64
	for _, limit := range written {
		if milli, err := matrix.MilliCPU(limit.String()); err == nil {
			limits = append(limits, milli)
		}
	}
	slices.Sort(limits)
	for i, limit := range limits {
		if i == len(limits)-1 {
			return append(further, farApart*limit)
		}
		for limit *= farApart; limit < limits[i+1]; limit *= farApart {
			further = append(further, limit)
		}
	}
	return nil
}

// at returns the variants of costs on limits, or nil for a limit on which two kinds of concurrency are the
// same.
func at(m v1beta1.Matrix, costs []int32, limits []intstr.IntOrString) []v1beta1.Variant {
	m.Costs, m.CPULimits, m.Hashes = costs, limits, nil
	variants, err := matrix.Variants(m)
	if err != nil {
		return nil
	}
	return variants
}
