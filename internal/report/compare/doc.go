// Package compare holds one experiment's report against another's: of each
// variant that both measured, how latency, capacity, maximum, hash time and price
// differ, and whether chance explains it. What differs in the questions is named
// first, since numbers that answer different questions do not compare.
//
// The difference is that of the medians of the repetitions, and its chance the
// one of the Mann–Whitney U test (package comparison). With a single repetition
// nobody can tell; then it says whether the intervals overlap.
package compare
