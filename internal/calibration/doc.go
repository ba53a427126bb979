// Package calibration measures how long a password hash takes in this container by CPU time, and how precise
// that is. Hashes are timed in short blocks, alternately with a reference hash, because the speed of a CPU
// drifts by several percent within seconds and their ratio hardly depends on it: while the speed drifts by
// ± 15 %, it is right within half a percent for hashes of up to 0.1 s, and within 2 % for one of half a second.
// docs/method.md ("Calibrate") has the rest.
//
// The package has no clock and no hash: both are passed in as functions. It does not say how many logins a
// service can take under load (package loadplan does).
package calibration
