// Package results computes what an experiment's status shows: a row for each variant with
// the spread of its repetitions and the difference from the baseline, the table of hash times and
// the fit of the costs, the progress, the outcome, the recommendation in a sentence, and the columns of
// kubectl get.
//
// Rows of several repetitions have the median of each number, and of an even number of
// repetitions the less favourable of the two in the middle, so that every shown number was
// measured; the worst verdict; and all reasons, including those that only all trials together
// show. The package does not judge results (package verdict does), and
// recommends nothing (package sizing does).
//
// # Comparisons
//
// A comparison shows how two sets of repetitions differ in one number, and how
// likely such a difference is by chance.
//
// The difference is that of the medians that rows show. The chance is the
// two-sided p-value of the Mann–Whitney U test, exact for sets of this size, with ties. The
// test uses only the order of the repetitions, so it needs no assumption about their
// distribution. It is computed by golang.org/x/perf/benchmath, as in benchstat.
//
// With few repetitions the chance can't be small, however large the difference is. With n
// and m repetitions it is at least
//
//	2 · n! · m! ÷ (n+m)!
//
// This is 333 thousandths for two and two, 100 for three, 29 for four, and 8 for five. A
// single repetition has a difference but no chance. The package does not decide which chance
// is small enough.
//
// # The smoke test
//
// [SmokeExperiment] is the experiment that tests an installation. It
// measures one variant at one rate for a few seconds. If it succeeds,
// everything from the queue to the deletion of the last child has worked once.
package results
