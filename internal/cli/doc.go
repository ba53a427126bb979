// Package cli implements kubectl-hashmark. It creates an experiment and waits for
// it to finish, cancels, suspends and resumes experiments, shows and compares reports,
// and computes recommendations for other demands from stored results. There is one
// file per command or group of commands.
//
// It does not measure and does not decide: numbers come from the status,
// recommendations from package sizing, which the operator uses too, and texts from
// package report. This package adds the connection to the cluster, the wait, and an
// exit code:
//
//	0  the objective can be met; with a demand: a size is recommended
//	1  it can't be met
//	2  no result: a failure, a refusal, an interruption
//
// The result of a command goes to standard output, everything else to standard
// error. The commands need the chart's view role; run, cancel, suspend and resume also need its edit role.
package cli
