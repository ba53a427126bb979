// Package loadrun drives one load from its plan to its last word: it waits for
// the login service, runs k6, reads evidence on both sides at the edges of each
// step, and puts together what is handed over.
//
// Evidence is read in Go beside k6, not by the k6 script, so that no caller of
// the script overlaps a step and a reading that fails is absent, never zero. It
// is read when a step has settled, when its counted part ends, and when its
// drain does; what happened in the counted part is the difference of the first
// two, which leaves k6's own start and the settling out. The moments are counted
// from the plan's zero, which the script announces.
//
// Once the load is over, each pod is asked how long its hashes took in each
// second. The answers, moved from the pods' uptime to the plan's clock, make the
// run's timeline.
//
// The package computes no figure of a login itself (package measurement does)
// and does not judge any (package verdict does). A load that gave no numbers
// ends in a *handover.Failure.
package loadrun
