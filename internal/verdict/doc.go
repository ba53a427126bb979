// Package verdict judges the numbers of a run: whether each step meets the objective, what the variant's
// capacity is, and whether the numbers are reliable.
//
// [Judge] stores the facts of each step, which don't depend on the objective, and decides from them, as
// [ForObjective] does for another objective. The verdict is the worst finding of the checks (checks.go),
// whose thresholds have their sources in thresholds.go. What cannot be checked is Suspect.
package verdict
