// Package matrix turns an experiment into its trials: which variants its matrix defines,
// what they are called, and in which order they are measured.
//
//	variants = (costs + hashes) × CPU limits × concurrency × node pools
//	trials   = variants × repetitions
//
// The same experiment always gives the same plan, so that no part of it has to be stored. The package
// does not say how a trial is driven (package loadplan does) or when it is its turn (package queue does).
package matrix
