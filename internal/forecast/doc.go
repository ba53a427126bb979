// Package forecast says what the calibrated model expects of variants that were
// not measured, and how good it is where it was held against measurements.
//
//	CPU time of a login = a + b·2^cost     for each node pool, through the corners
//	capacity, p95       = package simulation's, of that login on the pool's nodes
//
// The model is given the corners of the matrix alone: the lowest and the highest
// cost on the smallest and the largest CPU limit. Every other variant that was
// measured is predicted from them, and what it came to is the test.
//
// It neither judges a trial (package verdict does) nor chooses a size (package
// recommendation does), and it drives no load.
package forecast
