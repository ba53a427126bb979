// Package model computes the latency of logins in a service with a known hash time,
// concurrency and CPU quota. It is a discrete-event simulation.
//
// A pod has lanes, each of which computes one hash at a time. All hashes take equally long. A
// pool starts logins first come, first served, as many at a time as it has workers, and lets a
// bounded number wait. Without a pool every login starts at once. If more logins have started
// than there are lanes, they take turns of 10 to 20 ms: the Go runtime checks every 10 ms for
// goroutines that have run for that long.
//
// A quota is the kernel's CFS bandwidth: every 100 ms the pod gets
//
//	runtime = quota × 100 ms
//
// n busy lanes use it n times as fast as one. A pod without runtime stalls until the next
// refill, and unused runtime is lost. The times of the refills do not depend on the load, so
// their phase is drawn at random, and the result is a mean over phases.
//
// The simulation does not include other processes on the CPUs, the time of a request other
// than its CPU time, the network, or the garbage collector. All randomness comes from the
// given seeds, so the same input has the same result.
//
// # Trials
//
// [Before] predicts a variant from its calibration: it converts a trial's spec and
// calibration to a [Service], and planned steps to the arrivals that the
// k6 script sends.
//
//	lanes = min(workers or GOMAXPROCS, CPUs of the cpuset)
//	hash  = the calibration's CPU time, or the CPU time of a login in the run
//
// The package does not judge measurements (package verdict does), and it plans no load
// (package loadplan does).
//
// # The line of the costs
//
// Fits compute how the hash time grows with bcrypt's cost on each node pool of an
// experiment: the line
//
//	time = a + b·2^cost
//
// through the median hash time of each cost. A hash time is the ratio to the reference hash,
// which was timed in turns with it, times the time of the reference hash at the reference
// speed. So it does not depend on the speed of the CPU, which changes all the time. CPU time
// depends only on the cost and the node, so all CPU limits and kinds of concurrency count
// together. A cost that is off the line was disturbed during its calibration.
//
// With two costs a disturbance is visible, but not which of the two was disturbed. With three
// or more, the disturbed one is farthest from the line. The package does not decide how far is
// too far (package verdict does).
package model
