// Package controllers is the only code of the operator that reads and writes the cluster.
//
// Every pass has the same steps: observe, decide, act, set the status, patch it once, and then
// send the events. The decisions are made by packages without side effects: lifecycle decides
// what a trial does next, queue decides whose turn it is, verdict judges the numbers, and results and
// sizing decide what an experiment shows. Only what may be lost is kept in memory between passes, such as
// which trials can't go on.
//
// Objects are written by create and by patch. The status patch tests the state that was read, so that a
// pass on stale data is refused and not half done.
package controllers
