// Package calibration says how long a password hash takes in this container,
// and how sure that is.
//
// Hashes are timed one after another, by the CPU time of their thread, or of the
// process where a hash has several: under a quota the wall clock counts the
// stalls too, and scatters by a quarter where CPU time scatters by a hundredth.
// The mean is told with its 99.9 % Student interval:
//
//	mean ± t(0.9995, n−1) · s / √n
//
// The speed of a CPU drifts by several percent within seconds, which the interval
// does not show. So hashes are timed in short blocks, in turns with a reference
// hash, and the ratio of the two is told besides:
//
//	ratio = mean over blocks of 2 · subject ÷ (reference before + reference after)
//
// It hardly depends on the speed: while that drifts by ± 15 %, the ratio is right
// to within half a percent for hashes of up to 0.1 s, and within 2 % for one of
// half a second, during which the speed itself changes. How the speed went shows
// in the reference's blocks.
//
// A bcrypt cost too slow for the time there is is scaled from the highest that
// is not, by the line a + b·2^cost through it and the reference cost. Another
// hash is timed as it is. Where one takes less than half a millisecond, a sample
// is the mean of as many as fill one, so that it times the hash and not the clock.
//
// The package knows no clock and no hash: both come in as functions. It does not
// say how many logins a service can take under load (package loadplan does).
package calibration
