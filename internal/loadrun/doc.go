// Package loadrun runs one load: it waits for the login service, runs k6, reads evidence
// of the service and of the generator during each step, and assembles the result.
//
// Evidence is read in Go and not by the k6 script, so that no caller of the script overlaps
// a step, and a reading that fails is nil and not zero. It is read when a step has settled,
// when its counted part ends, and when its drain ends. The difference of the first two is
// what happened in the counted part, without k6's own start and the settling. The moments
// are relative to the plan's zero, which the script announces.
//
// After the load, the CPU time of the hashes in each second is read from each pod. Moved
// from the pods' uptime to the plan's clock, it makes the timeline of the run.
//
// The package computes no numbers of logins (package measurement does) and judges none
// (package verdict does). A load without numbers ends in a *handover.Failure.
package loadrun
