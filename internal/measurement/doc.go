// Package measurement turns records of single logins into what is told of a
// step: counts, percentiles with an interval, throughput, start lag, a
// histogram, and how many requests were under way.
//
// Latency is Ended − Due in open steps, so that a login that had to wait for a
// free caller is charged for the wait, and Ended − Sent in closed ones. A login
// that failed counts as slower than every success: the percentile q of n
// scheduled logins is the ⌈q·n⌉-th smallest of their latencies, failures being
// infinite, and is absent where that one failed. Its interval holds the true
// percentile with 95 % confidence by order statistics, without a model of how
// latencies are distributed, though as if they were independent of each other:
//
//	[X_l, X_u] with P(B < l) ≤ 2.5 %, P(B ≥ u) ≤ 2.5 %, B ~ Binomial(n, q)
//
// All figures are of the counted part: logins due (in closed steps: sent) while
// it lasted. What happened in the settling part is seen only in the throughput,
// which counts answers by when they came, and in the requests under way.
//
// The throughput of a saturation does not count answers, since a service that
// hashes logins at the same time answers them in batches, and a batch more or less
// in the counted part would decide. Each login counts by the share of its time
// that lies in the counted part:
//
//	throughput = Σ |[Sent, Ended] ∩ counted| ÷ |[Sent, Ended]| ÷ |counted|
//
// The package does not read clocks or counters, and does not say whether the
// figures may be believed (package verdict does).
package measurement
