// Package speed computes how fast the CPU was, and converts numbers from the speed at which they were measured
// to one reference speed, which is a unit of the node pool. Each window, a period with a known number of
// hashes and a known CPU time, has its own speed. docs/method.md ("Reference speed") and
// docs/decisions/0026-reference-speed.md say how and why.
//
// Only the model can compute how a queue with a quota behaves at another speed (packages model and verdict).
// The package reads no clock.
package speed
