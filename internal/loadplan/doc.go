// Package loadplan plans the load of a trial: the steps, their rates, their durations, the number of callers,
// and the due times of the logins, which are drawn in advance from a seed. Every rate is fixed before the
// load begins, from the calibrated bound. docs/method.md ("Plan the load") describes the plan, and
// docs/decisions/0003-seeded-arrivals.md the due times; a test compares them with those that the k6 script
// draws from the same seed.
//
// The package does not judge the results (package verdict does).
package loadplan
