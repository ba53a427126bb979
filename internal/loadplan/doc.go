// Package loadplan plans the load of a trial: the steps, their rates, their durations, and
// the number of callers.
//
// Every rate is fixed before the load begins, from the calibrated bound:
//
//	bound = replicas × min(quota, workers, GOMAXPROCS, CPUs of the cpuset) ÷ CPU time of a hash
//
// The package does not judge the results (package verdict does).
//
// # Due times
//
// The due times of the logins of an open step are drawn in advance.
//
// A Poisson step has a given number of logins n, so that the offered rate is exact, and random
// due times, as if independent people log in:
//
//	due_k = T × (E_1 + … + E_k) ÷ (E_1 + … + E_{n+1}),  E exponential
//
// This is a Poisson process of length T with a given count: its due times are distributed like
// n sorted uniform draws from [0, T). A uniform step has due_k = T × (k − ½) ÷ n.
//
// The k6 script draws the same times in JavaScript from the same seed. A test compares the
// two.
package loadplan
