// Package summary computes what an experiment's status shows: a row for each variant with
// the spread of its repetitions and the difference from the baseline, the noise floor, the
// table of hash times and the fit of the costs, the progress, the outcome, the recommendation
// in a sentence, and the columns of kubectl get.
//
// Rows of several repetitions have the lower median of each number, so that every shown
// number was measured, the worst verdict, and all reasons, including those that only all
// trials together show. The package does not judge results (package verdict does), does not
// say which differences are due to chance (package comparison does), and recommends nothing
// (package recommendation does).
package summary
