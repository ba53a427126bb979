// Package pricing computes what logins cost to serve, and what guesses cost an attacker.
//
//	hour            = CPUs × price of a CPU-hour + GiB of memory × price of a GiB-hour
//	month           = hour × 730
//	million logins  = hour ÷ (logins per second × 3600) × 10^6
//	billion guesses = 10^9 ÷ guesses per second ÷ 3600 × price of a GPU-hour
//
// A GPU makes guesses10 × 2^(10 − cost) guesses per second at a bcrypt cost: each step up
// halves them. A month is 730 hours, a twelfth of a year, as cloud providers bill it. CPUs
// are paid for all the time, with or without logins.
//
// A GPU is rented by the hour, or owned:
//
//	GPU-hour = price ÷ (years × 8760) + watts ÷ 1000 × price of a kilowatt-hour
//
// By default it is rented, makes 10,000 guesses per second at cost 10 and costs
// 0.80 USD an hour, which is 22 USD for a billion guesses. That is an RTX 5090: it
// makes about 20,000 at cost 9 (https://auth.pilcrowonpaper.com/bcrypt), and was
// rented for 0.69 to 1.22 USD in March 2026
// (https://deploybase.ai/articles/runpod-gpu-pricing). An RTX 4090 was rented for
// 0.34 to 0.60 USD, and makes 184,000 at cost 5 by hashcat, so 5,750 at cost 10
// (https://gist.github.com/Chick3nman/32e662a5bb63bc4f51b847bb422222fd). From the
// cheapest of these rents to the dearest, a billion guesses cost 16 to 34 USD.
//
// Argon2id is limited by memory traffic instead (Steve Thomas,
// https://github.com/OWASP/CheatSheetSeries/issues/595 and
// https://tobtu.com/minimum-password-settings/). An RTX 5090 moves 1,792 GB/s. It makes
// 11,434 to 11,465 guesses per second at 16,384 KiB and three iterations (July 2025,
// https://github.com/openwall/john/pull/5382), which is 86 % of what that rule gives. At
// OWASP's settings that is about 15,000, half as many again as at bcrypt cost 10.
// An RTX 4090 (1,008 GB/s) makes 1,667 at 65,536 KiB and three iterations (July 2025,
// https://github.com/hashcat/hashcat/pull/4284). The rule with 86 % gives 1,615.
//
// Prices are computed as exact fractions and rounded only once, for display. The package
// does not price traffic or apply discounts, and it does not choose a size (package
// sizing does).
package pricing
