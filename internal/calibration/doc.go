// Package calibration measures how long a password hash takes in this container, and how
// precise that is.
//
// Hashes are timed one after another by CPU time: that of their thread, or of the process
// if a hash uses several threads. Under a quota the wall clock would include throttling,
// and scatters by a quarter while CPU time scatters by a hundredth. The mean is reported
// with its 99.9 % Student interval:
//
//	mean ± t(0.9995, n−1) · s / √n
//
// The speed of a CPU drifts by several percent within seconds, which the interval does not
// show. So hashes are timed in short blocks, alternately with a reference hash, and the
// ratio of the two is reported too:
//
//	ratio = mean over blocks of 2 · subject ÷ (reference before + reference after)
//
// The ratio hardly depends on the speed: while the speed drifts by ± 15 %, the ratio is
// right within half a percent for hashes of up to 0.1 s, and within 2 % for a hash of half
// a second, during which the speed itself changes. The reference's blocks show how the
// speed changed.
//
// A bcrypt cost that is too slow for the time limit is scaled from the highest cost that is
// not, by the line a + b·2^cost through it and the reference cost. Another hash is timed as
// it is. If a hash takes less than half a millisecond, a sample is the mean of as many
// hashes as fill a millisecond, so that it times the hash and not the clock.
//
// The package has no clock and no hash: both are passed in as functions. It does not say
// how many logins a service can take under load (package loadplan does).
package calibration
