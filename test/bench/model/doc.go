// Package model compares the simulation with the real login service under real quotas, without
// a cluster. The service runs in its own control group on its own CPUs. It is loaded over
// loopback with the same schedule as the simulation, which gets the CPU time per login of that
// run.
//
// It measures the error of the model itself, and not how well a calibration predicts the CPU
// time. It needs root, cgroup v1 and the tag bench. The generator runs at a real-time
// priority, so that it is never late. Run it with make bench NAME=quota.
package model
