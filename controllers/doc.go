// Package controllers is the imperative shell of the operator: the only code
// that reads and writes the cluster.
//
// Every pass goes the same way: observe, decide, act, set the status, patch it
// once, then tell the events. What to decide is not written here but in the
// pure packages: lifecycle says what a trial does next, queue says whose turn
// it is, verdict says what numbers are worth, summary says what an experiment
// shows. Nothing is kept in memory between passes.
//
// Writes go by create and by patch; the status carries an optimistic lock, so
// that a pass on stale data is refused rather than half done.
package controllers
