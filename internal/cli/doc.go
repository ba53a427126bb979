// Package cli implements kubectl-hashmark. It creates an experiment and waits for it to finish, cancels,
// suspends and resumes experiments, shows and compares reports, and computes recommendations for other demands
// from stored results. It does not measure and does not decide: numbers come from the status, recommendations
// from package sizing, texts from package report. The result of a command goes to standard output, everything
// else to standard error, and the exit code says how it ended:
//
//	0  the objective can be met; with a demand: a size is recommended
//	1  it can't be met
//	2  no result: a failure, a refusal, an interruption
package cli
