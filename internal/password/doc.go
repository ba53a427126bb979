// Package password hashes a password in one of several ways, and checks other passwords against the hash. A
// Recipe defines how, with the algorithms of golang.org/x/crypto and the standard library. Every check computes one whole hash and compares in constant time, so that its time
// depends only on the recipe.
//
// The package exists for the login service that is measured: never store passwords with it. It can't write
// hashes down, and SHA256 shows what a login costs when hashing costs nothing. Only with the build tag drift,
// which no release has, do hashes take more or less CPU on a schedule (package drift).
package password
