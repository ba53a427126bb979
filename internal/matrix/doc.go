// Package matrix turns an experiment into its trials: which variants its matrix defines,
// what they are called, and in which order they are measured.
//
//	variants = (costs + controls) × CPU limits × concurrency × node pools
//	trials   = variants × repetitions
//
// Use Plan first. The same experiment always gives the same plan, on every machine and
// after every restart of the operator, so that no part of the plan has to be stored.
//
// The package does not say how a trial is driven (package loadplan does) or when it is its
// turn (package queue does). The API server has already checked the limits of the matrix.
package matrix
