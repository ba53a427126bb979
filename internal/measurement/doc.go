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
package measurement
