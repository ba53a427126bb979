// Package pricing computes what logins cost to serve, and what guesses cost an attacker. docs/method.md
// ("Prices") has the formulas, and the sources of what an attacker pays by default. Prices are exact fractions
// that are rounded only once, for display.
//
// The package does not price traffic or apply discounts, and does not choose a size (package sizing does).
package pricing
