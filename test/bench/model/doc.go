// Package model holds the simulation against the real login service under real
// quotas, without a cluster: the service runs in a control group of its own on
// CPUs of its own, and is driven over loopback by the schedule that the
// simulation is given, with the CPU time per login that it used in that run.
//
// It says how far the model itself is off, and nothing of how well a calibration
// tells the CPU time beforehand. It needs root, cgroup v1 and the tag bench. The
// generator runs at a real-time priority, so that it is late for nothing. Run it
// by make bench-quota.
package model
