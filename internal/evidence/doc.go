// Package evidence says what a container used and was given while numbers were
// taken: CPU time, throttling, cpuset, hashes.
//
// A reading holds counters since the process began; what happened in a window
// is the difference of two readings of the same process. The package does not
// read the counters (package cgroup does) and does not judge them (package
// verdict does).
package evidence
