// Package sizing recommends a size for a demand: which variant to run, on how many
// replicas, how certain that is, and what would change it. Use [Of].
//
//	rate of one replica = demand × (1 + headroom) ÷ replicas ≤ its capacity
//	replicas            = ⌈demand × (1 + headroom) ÷ capacity of one replica⌉
//
// A Service sends each connection to one of its replicas at random. If logins arrive
// independently of each other, they also arrive independently at each replica, at 1/R of
// the rate (a randomly thinned Poisson process is a Poisson process). So p95 of R replicas
// at rate λ is p95 of one at λ/R. There are R queues instead of one queue for R workers, so
// pooling gains nothing: capacities only add up.
//
// The package recommends the highest bcrypt cost, or the hash that costs an attacker most,
// that some variant serves within all limits of the demand, and then the cheapest way to
// run it. For the same usable results, more demand, more headroom and narrower limits never
// raise the cost, because they only remove sizes that fit.
//
// # The status
//
// [Rows], [Conclude] and [WhatIf] fill the status of an experiment, for both the operator and
// the command line: at any time, at the end, and for another objective, demand or prices with
// the same measurements. Rows come from package results, predictions from package prediction,
// prices from package pricing, and the capacities under another objective from package verdict.
//
//	capacity of one replica = capacity of a row ÷ spec.service.replicas
//
// The package drives no load and reads no cluster. It uses only the spec and the trials.
package sizing
