package measurement

import "slices"

// LowerMedian returns the element in the middle, and the lower one of the two in the middle of
// an even number. It is one of at least one elements, and never a mean of two. Equal elements
// keep their order.
func LowerMedian[T any](all []T, compare func(a, b T) int) T {
	return slices.SortedStableFunc(slices.Values(all), compare)[(len(all)-1)/2]
}

// UpperMedian is LowerMedian with the upper one of the two in the middle.
func UpperMedian[T any](all []T, compare func(a, b T) int) T {
	return slices.SortedStableFunc(slices.Values(all), compare)[len(all)/2]
}
