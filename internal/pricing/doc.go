// Package pricing says what logins cost to serve, and what guesses cost to make.
//
//	month           = CPUs × price of a CPU-hour × 730
//	million logins  = CPUs × price of a CPU-hour ÷ (logins per second × 3600) × 10^6
//	billion guesses = 10^9 ÷ guesses per second ÷ 3600 × price of a GPU-hour
//
// where a GPU makes guesses10 × 2^(10 − cost) guesses per second at a bcrypt
// cost: each step up halves them. A month is 730 hours, a twelfth of a year, as
// cloud providers bill it. CPUs are paid for as long as they are there, whether
// or not anybody logs in.
//
// By default a GPU makes 10,000 guesses per second at cost 10, and an hour of it
// costs 3 USD: an RTX 5090 and an H100 make about 20,000 at cost 9, and an H100 is
// rented for 2 to 5 USD (https://auth.pilcrowonpaper.com/bcrypt). Hashcat on an RTX
// 4090 makes 184,000 at cost 5, so 5,750 at cost 10
// (https://gist.github.com/Chick3nman/32e662a5bb63bc4f51b847bb422222fd).
// Somebody who owns the GPU pays less: these are prices for comparing costs.
//
// All of it is computed in exact fractions and rounded once, for reading. The
// package knows neither memory nor traffic nor discounts, and it does not choose
// a size (package recommendation does).
package pricing
