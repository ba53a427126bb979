// Package measurement computes the numbers of a step from records of single logins:
// counts, percentiles with an interval, throughput, start lag, a histogram, and the
// number of requests under way.
//
// Latency is Ended − Due in open steps, so that it includes the wait for a free caller, and
// Ended − Sent in closed steps. A failed login counts as slower than every success: the
// percentile q of n scheduled logins is the ⌈q·n⌉-th smallest latency, with infinite
// latencies for failures. It is nil if that login failed. Its interval contains the true
// percentile with 95 % confidence by order statistics. That needs no model of the
// distribution, but assumes that latencies are independent of each other:
//
//	[X_l, X_u] with P(B < l) ≤ 2.5 %, P(B ≥ u) ≤ 2.5 %, B ~ Binomial(n, q)
//
// All numbers are of the counted part: logins due in it (in closed steps: sent in it). The
// settling part affects only the throughput, which counts responses by their time, and
// the requests under way.
//
// The throughput of a saturation does not count responses: a service that hashes logins at
// the same time answers them in batches, and one batch more or less in the counted part
// would make a large difference. Each login counts by the share of its time that is in the
// counted part:
//
//	throughput = Σ |[Sent, Ended] ∩ counted| ÷ |[Sent, Ended]| ÷ |counted|
//
// The package does not read clocks or counters, and does not judge the numbers (package
// verdict does).
//
// # The termination message
//
// A Run is encoded as the termination message of the load generator, and decoded in the
// operator. The message fits the 4,096 bytes that kubelet keeps.
//
//	hashmark/6 steps=4 reported=1 exit=0 k6=v1.8.1 go=go1.26.8
//	generator <container>            where k6 ran, if its evidence could be read
//	service <container>              a line for each pod of the login service
//	step <numbers>                   a line for each step, with its histogram if there is room
//	speed 1000 14178000 gfghAAfdegh  the timeline
//	underway <numbers>               only if there is room
//	end 1c291ca3                     CRC-32 of everything above
//
// Numbers are positional: unsigned varints in base64url, in the order of the code in
// step.go. Most are encoded as the difference from a number close to them. Evidence and the
// p95 of liveness probes are rounded to milliseconds, the CPU time of hashes to 15 significant bits, the medians of a
// step's halves to hundredths of its own median, and the intervals of p50 and p99 outward to
// hundredths of each. A histogram has its buckets per doubling, the number of buckets that are not empty,
// and for each of these the distance from the one before; most have one login. A dot as boot ID means the boot ID of the line before.
//
// A timeline is the length of its windows in milliseconds, the median hash time in
// nanoseconds, and one character per window, with an error of up to 0.63 %.
//
// A load without numbers hands over a failure instead:
//
//	hashmark/6 failure=ScriptError exit=107
//	| the end of k6's stderr, each line after a bar
//	end 5d3a01f7
//
// kubelet keeps the last bytes, so a message that is too long loses its first line, and a
// truncated one has no last line. Both are detected.
package measurement
