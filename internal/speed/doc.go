// Package speed says how fast the CPU was, and converts numbers from the speed at
// which they were measured to one reference speed.
//
// The CPU of an ordinary rented machine needs 7 % more or less time for the same
// hash from one second to the next, because of what other tenants of the host do.
// Nothing inside the machine shows it but the hashes themselves. So each window,
// a stretch of time with a known number of hashes and a known CPU time, has a
// speed of its own:
//
//	time of a hash at cost 8 = CPU time per hash in the window ÷ ratio
//	ratio                    = hash ÷ reference hash, timed in turns
//
// The reference speed of a node pool is the median over all windows of an
// experiment, weighted by their length; how sure it is follows from the means of
// batches of ten seconds, which hardly depend on each other any more
// (autocorrelation 0.05 at 10 s, measured). A number at the reference speed is what
// would have been measured had each hash taken the reference time:
//
//	rate at the reference    = rate × (time per hash ÷ time at the reference)
//	latency at the reference = latency ÷ the same, at the same share of the bound
//
// How a queue with a quota behaves at another speed only the model can tell
// (packages simulation and verdict). The package reads no clock.
package speed
