// Package recommendation answers a demand: which variant to run, on how many
// replicas, how sure that is, and what would change it. Use [Of].
//
//	rate of one replica = demand × (1 + headroom) ÷ replicas ≤ its capacity
//	replicas            = ⌈demand × (1 + headroom) ÷ capacity of one replica⌉
//
// A Service sends each connection to one of its replicas by chance. Logins that
// come independently of each other then come so to each replica, at 1/R of the
// rate (a Poisson process thinned by chance is one), and p95 of R replicas is
// that of one at λ/R. There are R queues and not one before R workers, so that
// nothing is gained by pooling: capacities add up, and that is all.
//
// The answer is the highest bcrypt cost, or the hash that costs an attacker most, that
// some variant serves within all
// bounds, then the cheapest way to run it. Among results that may be believed,
// more demand, more headroom and narrower bounds never raise the cost, because
// they only take away sizes that fit.
//
// The package takes capacities as they are given and measures nothing.
package recommendation
