// Package lifecycle computes the state of a trial from what was just observed, and decides
// what to do next.
//
// Nothing is stored that can be observed. Each pass computes the state from the trial, its
// children and their pods, so that an operator that is killed at any point continues where it
// was. The trial's status stores only what can't be observed twice: the current attempt, the
// pods and the Job that it began with, and the result.
//
// [Decide] lists the states and what follows each. The package does not read the cluster or a
// clock. It changes only the status that it is given.
package lifecycle
