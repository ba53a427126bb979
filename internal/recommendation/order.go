package recommendation

import (
	"cmp"
	"slices"
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

// order puts the better of two sizes first: the higher cost, then the cheaper,
// then what takes less CPU, fewer replicas, has more capacity in all; and at last
// the name, so that an order there always is. Prices are compared only where all
// of the sizes have one: else three of them could each be better than the next.
func (q Question) order(all []sized) func(a, b sized) int {
	priced := !slices.ContainsFunc(all, func(s sized) bool { return q.Tariff.PerMonth(poolOf(s.Variant), s.milliCPU) == nil })
	return func(a, b sized) int {
		cheaper := 0
		if priced {
			one := q.Tariff.PerMonth(poolOf(a.Variant), a.milliCPU)
			cheaper = one.Cmp(q.Tariff.PerMonth(poolOf(b.Variant), b.milliCPU))
		}
		return cmp.Or(
			cmp.Compare(b.Variant.Cost, a.Variant.Cost),
			cheaper,
			cmp.Compare(a.milliCPU, b.milliCPU),
			cmp.Compare(a.replicas, b.replicas),
			cmp.Compare(b.replicas*b.Capacity, a.replicas*a.Capacity),
			cmp.Compare(a.Variant.Name, b.Variant.Name),
		)
	}
}

// nearer puts the size first that breaks its bounds by less. Where no rate meets
// the objective, that is the lowest cost on the most CPU.
func (q Question) nearer(a, b sized) int {
	return cmp.Or(
		cmp.Compare(q.excess(a), q.excess(b)),
		cmp.Compare(b.Standing, a.Standing),
		cmp.Compare(a.Variant.Cost, b.Variant.Cost),
		cmp.Compare(b.MilliCPU, a.MilliCPU),
		cmp.Compare(a.Variant.Name, b.Variant.Name),
	)
}
