// Package k6 runs k6 with the login script as a child process and reads the records that
// the script writes to stderr, a line of text for each event.
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
// programs under another licence. The package computes no statistics (package measurement
// does).
package k6
