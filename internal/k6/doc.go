// Package k6 runs k6 with the login script as a child process and gathers the
// records that the script tells on stderr, a line of text for each event.
//
//	hm:zero <clock>                       the plan's clock, once, before the load
//	hm:s <step> <login> <due> <sent>      a login is sent
//	hm:e <step> <login> <ended> <outcome> ok, refused, timedOut or error
//	hm:total <sent> <ended>               by k6's own counters, once, at the end
//
// Times are whole microseconds on the plan's clock. Records go through the log
// because a k6 script can neither write files nor keep a list across callers,
// and because k6's own summaries hold no histogram, no exact percentile of a
// part of a step, and know nothing of logins without an answer. That none is
// lost on the way is held against k6's own counters.
//
// k6 is only ever run as a process: its licence, the AGPL, forbids linking it
// into programs under another one. The package computes no statistics (package
// measurement does).
package k6
