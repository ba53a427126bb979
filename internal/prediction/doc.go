// Package prediction predicts variants that were not measured, and checks the model against
// measurements. The model uses only the corners of the matrix: the lowest and the highest cost on
// the smallest and the largest CPU limit. Every other measured variant is held out: it is predicted
// from the corners, and its measurement is the check. docs/method.md ("Predictions") has the formulas.
//
// The package does not judge trials (package verdict does), choose a size (package
// sizing does), or drive load.
package prediction
