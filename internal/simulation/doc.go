// Package simulation computes the latency of logins in a service with a known hash time,
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
package simulation
