// Package cli is kubectl-hashmark: it creates an experiment and follows it to
// its end, shows and compares reports, and asks what else stored results would
// have answered. A file holds a command.
//
// It measures nothing and decides nothing: numbers come from the status, answers
// from the package that the operator answers with, and the words of a report
// from package report. What it adds is the way to the cluster, the wait, and an
// exit code:
//
//	0  the objective can be met; with a demand: a size is recommended
//	1  it can't
//	2  there is no answer: a failure, a refusal, an interruption
//
// What a command was asked for goes to standard output, everything else to
// standard error. It takes the rights of the chart's view role, and for run
// those of its edit role.
package cli
