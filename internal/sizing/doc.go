// Package sizing recommends a size for a demand: which variant to run, on how many replicas, how certain that
// is, and what would change it. [Rows], [Conclude] and [WhatIf] fill the status of an experiment at any time,
// at the end, and for another objective, demand or prices, for both the operator and the command line.
// docs/method.md ("Recommendation") defines the choice. For the same usable results, more demand, more headroom
// and narrower limits never raise the cost, because they only remove sizes that fit.
//
// The package drives no load and reads no cluster. It uses only the spec and the trials.
package sizing
