// Package loopback runs a login service on this machine and loads it over loopback, without
// the cluster, with one of three generators: k6 with Hashmark's own script, fortio, and a
// replay of a schedule by this process. It is for comparing generators, where a cluster would
// only add noise.
//
// All three return a measurement.Record for each counted login, so that the same figures can
// be computed from them. The package does not judge them. The service runs on a CPU that the
// generators do not use.
package loopback
