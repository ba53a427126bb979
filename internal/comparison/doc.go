// Package comparison computes how two sets of repetitions differ in one number, and how
// likely such a difference is by chance.
//
// The difference is that of the lower medians, which rows also show. The chance is the
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
package comparison
