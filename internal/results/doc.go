// Package results computes what an experiment's status shows: a row for each variant with the spread of its
// repetitions and the difference from the baseline, the table of hash times and the fit of the costs, the
// progress, the outcome, the recommendation in a sentence, and the columns of kubectl get. docs/method.md
// ("Repetitions") defines medians and differences.
//
// The package does not judge results (package verdict does), and recommends nothing (package sizing does).
package results
