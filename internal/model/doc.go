// Package model computes the latency of logins in a service with a known hash time, concurrency and CPU
// quota, by a discrete-event simulation, and how the hash time grows with bcrypt's cost on each node pool
// ([Of]). docs/decisions/0011-simulation.md describes the simulation and how exact it is. It does not include
// other processes on the CPUs, the network, the garbage collector, or the time of a request other than its
// CPU time. All randomness comes from the given seeds, so the same input has the same result.
//
// The package does not judge measurements (package verdict does), and plans no load (package loadplan does).
package model
