// Package loadplan plans the load of a trial: the steps, their rates, their durations, and
// the number of callers.
//
// Every rate is fixed before the load begins, from the calibrated bound:
//
//	bound = replicas × min(quota, workers, GOMAXPROCS, CPUs of the cpuset) ÷ CPU time of a hash
//
// It does not compute the due times of single logins (package arrivals does), and does not
// judge the results (package verdict does).
package loadplan
