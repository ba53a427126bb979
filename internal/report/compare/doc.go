// Package compare compares the reports of two experiments: for each variant that both
// measured, how latency, capacity, maximum, hash time and price differ, and whether chance
// explains the difference. Differences in the specs come first, since numbers with
// different objectives or loads can't be compared.
//
// The difference is that of the medians of the repetitions, and its chance is the p-value
// of the Mann–Whitney U test (package results). With a single repetition the chance is
// unknown; then the report says whether the intervals overlap.
package compare
