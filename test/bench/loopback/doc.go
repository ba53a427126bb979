// Package loopback drives a login service on this machine, beside the cluster
// and over loopback, with one of three generators: k6 under Hashmark's own
// script, fortio, and a replay of a schedule by this process. It is for holding
// generators against each other, where a cluster would only add its own noise.
//
// All three tell the same thing, a measurement.Record for each login that
// counts, so that what is computed from them is the same too. The package
// judges nothing. The service is kept on a CPU that the generators keep off.
package loopback
