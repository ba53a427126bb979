// Package bench measures the accuracy of Hashmark's own numbers: the maximum compared with the
// bound, the model with the measurement, the capacity with an exhaustive search, one generator
// with another, and a trial with its repetition.
//
// Every figure is a ratio within one run or a count, so that it does not depend on the speed
// of the machine. Times with a goal are reported, but never fail, apart from those of a whole
// run of scale. A benchmark prints a Markdown table, writes it to dist/bench/<name>.md, and
// fails if a goal is missed.
//
// The benchmarks need the tag bench and the environment of hack/bench.sh. Most of them use the
// operator that is installed in the cluster; generators, arrivals and quota are measured over
// loopback. Their results are only valid if nothing else uses the CPUs.
package bench
