// Package verdict judges the numbers of a run: whether each step meets the
// objective, what the variant's capacity is, and whether the numbers are reliable.
//
// [Judge] is the entry point. It stores the facts of each step, which don't depend on the
// objective, and decides from them, as [ForObjective] does for another objective. The checks behind the verdict are a list of pure
// functions (checks.go). Each of them looks for one known cause of wrong benchmarks.
// Their thresholds and the sources of these are in thresholds.go. The verdict is the
// worst finding. A saturated service is a result; a saturated load generator makes the
// result Invalid.
//
// Missing evidence never makes a result Valid: what cannot be checked is Suspect.
package verdict
