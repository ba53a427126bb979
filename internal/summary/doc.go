// Package summary says what an experiment shows: a row for each variant, how far
// its repetitions lie apart and how it differs from the baseline, the noise
// floor, the table of hash times and the fit of the costs, how far it has come,
// how it ended, the answer in a sentence, and the columns of kubectl get.
//
// Rows of several repetitions hold the lower median of each number, so that a
// number that is shown was measured; the worst verdict; and every reason, with
// what only all trials together tell. The package judges nothing itself (package
// verdict does), does not say which differences are due to chance (package
// comparison does), and recommends nothing (package recommendation does).
package summary
