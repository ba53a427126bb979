// Package drift makes password hashes take more or less CPU time on a schedule, as if the CPU's speed changed,
// for the end-to-end tests. Only a binary that is built with the tag drift contains it. A Pacer measures the
// CPU time of a hash and burns more on the same thread:
//
//	CPU time with the pacer = CPU time without × 1.3 × factor of the schedule
//
// The 1.3 leaves room for factors below 1, because hashes can be slowed down but not sped up. So a drifting
// service is compared with a steady one, whose factor is 1, and not with the released service.
package drift
