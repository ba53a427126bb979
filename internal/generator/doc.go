// Package generator runs one load in the load pod: it waits for the login service, runs k6 with the login
// script as a child process, reads evidence of both sides during each step, sends liveness probes, and
// assembles the result. It computes no numbers of logins (package measurement does) and judges none. The
// script writes a line to stderr for each event, in whole microseconds on the plan's clock:
//
//	hm:zero <clock>                       the plan's clock, once, before the load
//	hm:s <step> <login> <due> <sent>      a login is sent
//	hm:e <step> <login> <ended> <outcome> ok, refused, timedOut or error
//	hm:total <sent> <ended>               by k6's own counters, once, at the end
package generator
