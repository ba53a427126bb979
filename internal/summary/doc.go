// Package summary says what an experiment shows: a row for each variant, how far
// it has come, how it ended, and the columns of kubectl get.
//
// Rows of several repetitions hold the lower median of each number, so that a
// number that is shown was measured; the worst verdict; and every reason. The
// package judges nothing itself (package verdict does).
package summary
