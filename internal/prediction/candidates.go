package prediction

import (
	"slices"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const (
	// mostRows is the highest number of predictions, unless the matrix itself has more
	// variants that were not measured.
	mostRows = 32
	// highestCost is the API's limit.
	highestCost = 16
	// farApart is the ratio of two measured limits above which limits between them are
	// predicted.
	farApart = 2
)

// unmeasured returns the variants to predict, the most useful first. leftOut are the variants
// of the matrix that were not measured. beyond are, for each kind of concurrency on each node
// pool, costs between those of the matrix, the cost above the highest, limits between those
// that are more than a factor of two apart, and twice the largest limit.
func unmeasured(m v1alpha1.Matrix, variants, measured []v1alpha1.Variant) (leftOut, beyond []v1alpha1.Variant) {
	known := names(measured)
	for _, v := range variants {
		if v.Control == "" && !known[v.Name] {
			leftOut = append(leftOut, v)
		}
	}
	limits := milliCPUs(m.CPULimits)
	between, above := furtherCosts(m.Costs)
	for _, costs := range [][]int32{between, above} {
		for _, cost := range costs {
			for _, limit := range m.CPULimits {
				beyond = append(beyond, at(m, cost, limit)...)
			}
		}
	}
	for _, limit := range furtherLimits(limits) {
		for _, cost := range m.Costs {
			beyond = append(beyond, at(m, cost, written(limit))...)
		}
	}
	return leftOut, beyond
}

// furtherCosts returns the costs between those of the matrix, and the one above the highest.
func furtherCosts(costs []int32) (between, above []int32) {
	if len(costs) == 0 {
		return nil, nil
	}
	highest := slices.Max(costs)
	for cost := slices.Min(costs); cost < highest; cost++ {
		if !slices.Contains(costs, cost) {
			between = append(between, cost)
		}
	}
	if highest < highestCost {
		above = append(above, highest+1)
	}
	return between, above
}

// furtherLimits returns the doublings between limits that are far apart, and twice the
// largest.
func furtherLimits(limits []int64) []int64 {
	if len(limits) == 0 {
		return nil
	}
	var further []int64
	for i := range limits[1:] {
		for limit := farApart * limits[i]; limit < limits[i+1]; limit *= farApart {
			further = append(further, limit)
		}
	}
	return append(further, farApart*limits[len(limits)-1])
}

// milliCPUs returns CPU limits in thousandths, the smallest first.
func milliCPUs(limits []string) []int64 {
	var all []int64
	for _, limit := range limits {
		if milli, err := matrix.MilliCPU(limit); err == nil {
			all = append(all, milli)
		}
	}
	slices.Sort(all)
	return all
}

// written formats a limit as a quantity.
func written(milli int64) string {
	if milli%milliPerCPU == 0 {
		return strconv.FormatInt(milli/milliPerCPU, 10)
	}
	return strconv.FormatInt(milli, 10) + "m"
}

// at returns the variants of one cost on one limit, named as in the matrix. It returns nil for
// a limit on which two kinds of concurrency are the same.
func at(m v1alpha1.Matrix, cost int32, limit string) []v1alpha1.Variant {
	m.Costs, m.CPULimits, m.Controls = []int32{cost}, []string{limit}, nil
	variants, err := matrix.Variants(m)
	if err != nil {
		return nil
	}
	return variants
}
