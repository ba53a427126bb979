// Package loadtests embeds the k6 scripts that load a login service, so that programs need
// no separate files.
//
// It does not run them (package generator does) and does not process their records (package
// measurement does).
package loadtests

import "embed"

// Main is the script to run. It imports the others.
const Main = "login.js"

// Scripts are all scripts, in one folder.
//
//go:embed flow.js login.js schedule.js
var Scripts embed.FS
