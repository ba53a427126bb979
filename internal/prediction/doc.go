// Package prediction predicts variants that were not measured with the calibrated model, and
// checks the model against measurements.
//
//	CPU time of a login = a + b·2^cost     for each node pool, through the corners
//	capacity, p95       = package model's, of that login on the pool's nodes
//
// The model uses only the corners of the matrix: the lowest and the highest cost on the
// smallest and the largest CPU limit. Every other measured variant is held out: it is
// predicted from the corners, and its measurement is the check.
//
// The package does not judge trials (package verdict does), choose a size (package
// sizing does), or drive load.
package prediction
