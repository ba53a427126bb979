// Package smoke is the question that an installation is tried with, and the
// sentences about what came of it: one variant at bcrypt's lowest cost, held at
// one rate for a few seconds, so that everything from the queue to the removal
// of the last child has worked once when it has succeeded.
//
// It says nothing about how good the numbers are. It asks no cluster; who does
// gives it what was found.
package smoke
