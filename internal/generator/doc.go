// Package generator runs one load in the load pod: it waits for the login service, runs k6, reads evidence
// of the service and of the generator during each step, and assembles the result.
//
// Evidence is read in Go and not by the k6 script, so that no caller of the script overlaps
// a step, and a reading that fails is nil and not zero. It is read when a step has settled,
// when its counted part ends, and when its drain ends. The difference of the first two is
// what happened in the counted part, without k6's own start and the settling. The moments
// are relative to the plan's zero, which the script announces.
//
// Next to the logins, each pod is sent a liveness probe per second, as kubelet does.
//
// After the load, the CPU time of the hashes in each second is read from each pod. Moved
// from the pods' uptime to the plan's clock, it makes the timeline of the run.
//
// The package computes no numbers of logins (package measurement does) and judges none
// (package verdict does). A load without numbers ends in a *measurement.Failure.
//
// # k6
//
// k6 runs with the login script as a child process. The script writes records to stderr, a
// line of text for each event:
//
//	hm:zero <clock>                       the plan's clock, once, before the load
//	hm:s <step> <login> <due> <sent>      a login is sent
//	hm:e <step> <login> <ended> <outcome> ok, refused, timedOut or error
//	hm:total <sent> <ended>               by k6's own counters, once, at the end
//
// Times are whole microseconds on the plan's clock. Records go through the log because a k6
// script can neither write files nor keep a list across callers, and because k6's own
// summaries have no histogram, no exact percentile of a part of a step, and no logins
// without a response. k6's own counters are used to check that no record is lost.
//
// k6 is always a separate process: its licence, the AGPL, does not allow linking it into
// programs under another licence.
package generator
