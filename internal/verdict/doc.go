// Package verdict says what a run's numbers are worth: what each step says of
// the objective, what the variant's capacity is, and whether any of it may be
// believed.
//
// [Judge] is the entry. The checks behind the verdict are a list of pure
// functions (checks.go), each of which looks at one thing that has made
// benchmarks wrong before; their thresholds stand together in thresholds.go,
// with where each comes from. The worst finding decides. A saturated service is
// a result; a saturated generator is an invalid one.
//
// Nothing is Valid for lack of evidence: what could not be checked is Suspect.
package verdict
