// Package simulation computes how long logins take in a service whose hashing
// time, discipline and CPU quota are known: a discrete-event simulation.
//
// A pod has lanes, on each of which one hash is computed at a time, all equally
// long. A pool begins logins first come, first served, as many as it has
// workers, and lets a bounded number wait. Without a pool every login is begun
// at once. Where more are begun than there are lanes, they take turns of 10 to
// 20 ms: the Go runtime looks every 10 ms for goroutines that have run as long.
//
// A quota is the kernel's CFS bandwidth: every 100 ms the pod gets
//
//	runtime = quota × 100 ms
//
// which n busy lanes drain n times as fast as one. A pod without any left stalls
// until the next refill, and what is left then is lost. The grid of the refills
// has nothing to do with the load, so that its phase is drawn by chance and the
// answer is a mean over phases.
//
// What it does not know: other processes on the CPUs, the time that a request
// takes besides its CPU time, the network, the garbage collector. It draws all
// chance from the seeds it is given, so that the same input has the same answer.
package simulation
