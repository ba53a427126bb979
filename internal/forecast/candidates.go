package forecast

import (
	"slices"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const (
	// mostRows is how many predictions there are at the most, unless the matrix
	// itself has more that were not measured.
	mostRows = 32
	// highestCost is the API's bound.
	highestCost = 16
	// farApart is the ratio from which on limits between two measured ones are told.
	farApart = 2
)

// unmeasured lists what may be predicted, in the order of its worth: the variants
// that the matrix names and that were left out; then, for each kind of
// concurrency on each node pool, costs between those of the matrix, one beyond
// the highest, limits between those that lie more than a factor of two apart,
// and twice the largest.
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

// furtherCosts are those between the matrix's, and the one beyond the highest.
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

// furtherLimits are the doublings between limits that lie far apart, and twice
// the largest.
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

// milliCPUs are CPU limits in thousandths, the smallest first.
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

// written is a limit as people write it.
func written(milli int64) string {
	if milli%milliPerCPU == 0 {
		return strconv.FormatInt(milli/milliPerCPU, 10)
	}
	return strconv.FormatInt(milli, 10) + "m"
}

// at are the variants of one cost on one limit, named as the matrix would name
// them. A limit on which two kinds of concurrency are one and the same has none.
func at(m v1alpha1.Matrix, cost int32, limit string) []v1alpha1.Variant {
	m.Costs, m.CPULimits, m.Controls = []int32{cost}, []string{limit}, nil
	variants, err := matrix.Variants(m)
	if err != nil {
		return nil
	}
	return variants
}
