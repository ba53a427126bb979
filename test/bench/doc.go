// Package bench measures what Hashmark promises of its own numbers: how near
// the maximum comes to the bound, the model to the measurement, the capacity to
// an exhaustive search, one generator to another, and a trial to its repetition.
//
// Every figure is a ratio within one run, or a count, so that another machine
// need not be as fast as the one it was written on; the only times that have a
// goal are told beside it and fail nothing. A bench prints a Markdown table,
// writes it to dist/bench/<name>.md, and fails when a goal is missed.
//
// The benches need the tag bench and what hack/bench.sh gives them. Those named
// after the cluster's matters drive the operator that is installed in it; the
// generators and the arrivals are measured over loopback, beside it. None is
// worth anything while something else uses the CPUs.
package bench
