// Package measurement computes the numbers of a step from records of single logins, by order statistics:
// counts, percentiles with an interval, throughput, start lag, a histogram, and requests under way. All are
// of the counted part; docs/method.md ("Statistics") defines them. It also encodes a Run as the termination
// message of the load generator, and decodes it in the operator. docs/decisions/0005-termination-message.md
// has the form of the message.
//
// The package does not read clocks or counters, and does not judge the numbers (package verdict does).
package measurement
