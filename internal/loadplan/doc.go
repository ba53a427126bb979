// Package loadplan says what a generator drives: which steps, at which rates,
// for how long, with how many callers.
//
// Every rate is fixed before the load begins, from the calibrated bound:
//
//	bound = replicas × min(quota, workers, GOMAXPROCS, CPUs of the cpuset) ÷ CPU time of a hash
//
// It does not draw the due times of single logins (package arrivals does), and
// it does not judge what came of them (package verdict does).
package loadplan
