// Package loadtests holds the k6 scripts that drive a login service, so that
// programs carry them inside and need no files beside them.
//
// It does not run them (package k6 does) and computes nothing from what they
// tell (package measurement does).
package loadtests

import "embed"

// Main is the script to run; it imports the others.
const Main = "login.js"

// Scripts are all scripts, in one folder.
//
//go:embed login.js schedule.js
var Scripts embed.FS
