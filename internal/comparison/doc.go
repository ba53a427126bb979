// Package comparison says how two sets of repetitions differ in one number, and
// whether chance explains the difference.
//
// The difference is that of the lower medians, the ones that rows show. The
// chance is the two-sided one of the Mann–Whitney U test, exact at these sizes,
// ties included: it asks only in which order the repetitions of both sets lie,
// so that it needs no idea of how they scatter. It is computed by
// golang.org/x/perf/benchmath, as benchstat does.
//
// Few repetitions can't give a small chance, however far apart they lie: with
// n against m it is at least
//
//	2 · n! · m! ÷ (n+m)!
//
// which is 333 thousandths for two against two, 100 for three, 29 for four, 8
// for five. A single repetition has a difference and no chance at all. The package
// does not say which chance is small enough.
package comparison
