// Package speed computes how fast the CPU was, and converts numbers from the speed at which
// they were measured to one reference speed.
//
// The CPU of an ordinary rented machine needs 7 % more or less time for the same hash from one
// second to the next, because of the other tenants of the host. Inside the machine, only the
// hashes themselves show it. So each window, a period with a known number of hashes and a
// known CPU time, has its own speed:
//
//	time of a hash at cost 8 = CPU time per hash in the window ÷ ratio
//	ratio                    = hash ÷ reference hash, timed in turns
//
// The reference speed of a node pool is a unit: the median over the windows of the first trial
// that ended there, weighted by their length. The typical speed is the median over all windows.
// Its error follows from the means of batches of ten seconds, which are almost independent of
// each other (measured autocorrelation 0.05 at 10 s). A number at the reference speed is what
// would have been measured if each hash had taken the reference time:
//
//	rate at the reference    = rate × (time per hash ÷ time at the reference)
//	latency at the reference = latency ÷ the same, at the same share of the bound
//
// Only the model can compute how a queue with a quota behaves at another speed (packages
// model and verdict). The package reads no clock.
package speed
