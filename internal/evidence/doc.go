// Package evidence describes what a container used and could use while numbers were taken:
// CPU time, throttling, cpuset, hashes.
//
// A reading has counters since the start of the process. What happened in a window is the
// difference between two readings of the same process. The package does not read the
// counters (package cgroup does) and does not judge them (package verdict does).
package evidence
