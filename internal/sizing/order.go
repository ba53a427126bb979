package sizing

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// fitting returns the wanted sizes that fit, the best first.
func (a answer) fitting(wanted func(sized) bool) []sized {
	fit := slices.DeleteFunc(slices.Clone(a.sizes), func(s sized) bool { return !s.fits() || !wanted(s) })
	slices.SortFunc(fit, order(fit))
	return fit
}

// order returns a comparison that puts the better of two sizes first. Prices are compared only if all of
// the sizes have one. Otherwise the order would not be transitive.
func order(all []sized) func(a, b sized) int {
	priced := !slices.ContainsFunc(all, func(s sized) bool { return s.month == nil })
	return func(a, b sized) int {
		cheaper := 0
		if priced {
			cheaper = a.month.Cmp(b.month)
		}
		return cmp.Or(
			cmp.Compare(b.strength, a.strength),
			cheaper,
			cmp.Compare(a.milliCPU, b.milliCPU),
			cmp.Compare(a.replicas, b.replicas),
			cmp.Compare(b.replicas*b.Capacity, a.replicas*a.Capacity),
			cmp.Compare(a.Variant.Name, b.Variant.Name),
		)
	}
}

// inOrder has the limits in the order in which they are checked. A size gets as far as the
// first limit that it exceeds.
var inOrder = []v1beta1.Bound{
	v1beta1.BoundObjective, v1beta1.BoundMinimumCost, v1beta1.BoundCapacityUnknown, v1beta1.BoundMaxTotalCPU, v1beta1.BoundMaxReplicas,
}

// kept returns how many limits a size keeps before the first that it exceeds.
func (s sized) kept() int {
	if s.fits() {
		return len(inOrder)
	}
	return slices.Index(inOrder, s.breaks[0])
}

// nearer compares two sizes and puts the one first that keeps more limits. Of two that exceed the same
// limit, the one that exceeds it less comes first; if no rate meets the objective, the weakest hash on
// the most CPU.
func nearer(a, b sized) int {
	far := cmp.Or(cmp.Compare(b.kept(), a.kept()), cmp.Compare(b.Trust, a.Trust))
	if far != 0 {
		return far
	}
	least, stronger := 0, cmp.Compare(b.strength, a.strength)
	switch {
	case a.fits() || a.breaks[0] == v1beta1.BoundMinimumCost:
		least = stronger
	case a.breaks[0] == v1beta1.BoundObjective:
		least = cmp.Or(-stronger, cmp.Compare(b.MilliCPU, a.MilliCPU))
	case a.breaks[0] == v1beta1.BoundCapacityUnknown:
		least = cmp.Compare(b.Served, a.Served)
	case a.breaks[0] == v1beta1.BoundMaxReplicas:
		least = cmp.Compare(a.replicas, b.replicas)
	}
	return cmp.Or(least,
		cmp.Compare(a.milliCPU, b.milliCPU),
		stronger,
		cmp.Compare(a.replicas, b.replicas),
		cmp.Compare(a.Variant.Name, b.Variant.Name),
	)
}
