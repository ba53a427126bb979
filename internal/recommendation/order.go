package recommendation

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// fitting are the candidates of a standing that fit, the best first.
func (q Question) fitting(candidates []Candidate, standing Standing) []sized {
	var fit []sized
	for _, c := range candidates {
		if s := q.size(c); c.Standing == standing && s.fits() {
			fit = append(fit, s)
		}
	}
	slices.SortFunc(fit, q.order(fit))
	return fit
}

// order puts the better of two sizes first: the stronger hash, then the cheaper,
// then what takes less CPU, fewer replicas, has more capacity in all; and at last
// the name, so that an order there always is. Prices are compared only where all
// of the sizes have one: else three of them could each be better than the next.
func (q Question) order(all []sized) func(a, b sized) int {
	priced := !slices.ContainsFunc(all, func(s sized) bool { return q.Tariff.PerMonth(poolOf(s.Variant), s.resources()) == nil })
	return func(a, b sized) int {
		cheaper := 0
		if priced {
			one := q.Tariff.PerMonth(poolOf(a.Variant), a.resources())
			cheaper = one.Cmp(q.Tariff.PerMonth(poolOf(b.Variant), b.resources()))
		}
		return cmp.Or(
			cmp.Compare(q.strength(b.Candidate), q.strength(a.Candidate)),
			cheaper,
			cmp.Compare(a.milliCPU, b.milliCPU),
			cmp.Compare(a.replicas, b.replicas),
			cmp.Compare(b.replicas*b.Capacity, a.replicas*a.Capacity),
			cmp.Compare(a.Variant.Name, b.Variant.Name),
		)
	}
}

// inOrder are the bounds as they are looked at: a size gets as far as the first
// that it breaks.
var inOrder = []v1alpha1.Bound{
	v1alpha1.BoundObjective, v1alpha1.BoundMinimumCost, v1alpha1.BoundCapacityUnknown, v1alpha1.BoundMaxTotalCPU, v1alpha1.BoundMaxReplicas,
}

// got is how many bounds a size keeps before the first that it breaks.
func (s sized) got() int {
	if s.fits() {
		return len(inOrder)
	}
	return slices.Index(inOrder, s.breaks[0])
}

// nearer puts the size first that gets farther through the bounds, and of two
// that break the same one, the one that needs less of it: of the CPU in all, of
// the replicas. Below the minimum the stronger hash is nearer; where no rate meets
// the objective, the weakest on the most CPU; where the capacity is a lower bound,
// the higher one.
func (q Question) nearer(a, b sized) int {
	far := cmp.Or(cmp.Compare(b.got(), a.got()), cmp.Compare(b.Standing, a.Standing))
	if far != 0 {
		return far
	}
	least, stronger := 0, cmp.Compare(q.strength(b.Candidate), q.strength(a.Candidate))
	switch {
	case a.fits() || a.breaks[0] == v1alpha1.BoundMinimumCost:
		least = stronger
	case a.breaks[0] == v1alpha1.BoundObjective:
		least = cmp.Or(-stronger, cmp.Compare(b.MilliCPU, a.MilliCPU))
	case a.breaks[0] == v1alpha1.BoundCapacityUnknown:
		least = cmp.Compare(b.Carried, a.Carried)
	case a.breaks[0] == v1alpha1.BoundMaxReplicas:
		least = cmp.Compare(a.replicas, b.replicas)
	}
	return cmp.Or(least,
		cmp.Compare(a.milliCPU, b.milliCPU),
		stronger,
		cmp.Compare(a.replicas, b.replicas),
		cmp.Compare(a.Variant.Name, b.Variant.Name),
	)
}
