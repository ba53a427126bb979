// Package matrix turns an experiment's question into the trials that answer
// it: which variants its matrix spans, what they are called, and in which
// order they are measured.
//
//	variants = (costs + controls) × CPU limits × concurrency × node pools
//	trials   = variants × repetitions
//
// Use Plan first. The same experiment always gives the same plan, on every
// machine and after every restart of the operator, so that nothing about it
// has to be remembered.
//
// It does not say how a trial is driven (package loadplan does) or when it is
// its turn (package queue does). The API server has already held the matrix
// against its bounds.
package matrix
