// Package loadtests embeds the k6 scripts that load a login service, so that programs need
// no separate files.
//
// It does not run them (package generator does under load, and package loginflow before it) and does
// not process their records (package measurement does).
package loadtests

import (
	"embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// Main is the script that puts load on a service. It imports others.
	Main = "login.js"
	// Rehearsal is the script that logs in when package loginflow asks it to. It imports others.
	Rehearsal = "rehearse.js"
	// K6 is the name of the program, next to the scripts.
	K6 = "k6"
	// flow is the script that logs in at a user's own login service.
	flow = "flow.js"
)

// Scripts are all scripts, in one folder.
//
//go:embed flow.js login.js login_once.js rehearse.js requests.js
var Scripts embed.FS

// environment turns off k6's network features: usage reports, extension downloads and the dashboard.
var environment = []string{
	"K6_NO_USAGE_REPORT=true",
	"K6_AUTO_EXTENSION_RESOLUTION=false",
	"K6_WEB_DASHBOARD=false",
}

// Environ returns the environment for k6: another one and further variables, without proxies. k6 would send
// its logins to those.
func Environ(from []string, more ...string) []string {
	own := slices.DeleteFunc(slices.Clone(from), func(variable string) bool {
		name, _, _ := strings.Cut(strings.ToLower(variable), "=")
		return strings.HasSuffix(name, "_proxy")
	})
	return slices.Concat(own, more, environment)
}

// Arguments returns k6's arguments to run a script, with further ones before it. --address "" turns
// off the REST API, which 1.8 serves by default and 2.x does not. Raw log lines contain only the
// message.
func Arguments(script string, more ...string) []string {
	arguments := []string{"run", "--quiet", "--no-color", "--log-format", "raw", "--log-output", "stderr", "--address", ""}
	return append(append(arguments, more...), script)
}

// Write writes all scripts to a folder. If the user has a script of their own to log in, it replaces
// that of Hashmark.
func Write(folder, own string) error {
	const readable = 0o644 // by other containers of the same pod
	err := os.CopyFS(folder, Scripts)
	if err == nil && own != "" {
		err = os.WriteFile(filepath.Join(folder, flow), []byte(own), readable)
	}
	return err
}
