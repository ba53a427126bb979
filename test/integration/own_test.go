//go:build integration

package integration

import (
	"fmt"
	"slices"
	"strings"
)

// ownExperiment has a login service of the user's.
const ownExperiment = manifest(`
apiVersion: hashmark.dev/v1beta1
kind: SizingExperiment
metadata:
  name: login
  namespace: default
spec:
  matrix:
    costs: [8]
    cpuLimits: ["1"]
    concurrency: [{mode: Unbounded}]
  objective: {p95Milliseconds: 500}
  service:
    own:
      image: registry.example/team/login:v1
      command: [/login]
      port: 8080
      ready: {path: /ready}
      login:
        steps: [{path: /login, basicAuth: true}]
        wrong: {status: [401]}
`)

const (
	ownField      = "spec.service.own"
	stepsOrScript = ownField + ".login: service.own.login must have either steps or script"
)

var ofOwnService = cases{
	"as few fields as possible": {``},
	"a script":                  {`spec: {service: {own: {login: {steps: null, script: "export function login() {}"}}}}`},
	"TLS, which is for Hashmark's service": {`spec: {service: {tls: {}}}`,
		"spec.service: service.tls is for Hashmark's login service only"},
	"another hash": {`spec: {service: {own: {hash: Other}}}`},
	"another hash, with a demand": {`spec: {service: {own: {hash: Other}}, demand: {loginsPerSecond: 2}}`,
		"spec: service.own.hash Other is no bcrypt hash"},
	"neither steps nor a script": {`spec: {service: {own: {login: {steps: null}}}}`, stepsOrScript},
	"both steps and a script":    {`spec: {service: {own: {login: {script: "export function login() {}"}}}}`, stepsOrScript},
	"the port of the evidence":   {`spec: {service: {own: {port: 18080}}}`, ownField + ": service.own.port must not be 18080"},
	"an environment variable of Hashmark's": {`spec: {service: {own: {env: {HASHMARK_COST: "4"}}}}`,
		ownField + ".env: a name of service.own.env must begin with a letter or _"},
	"a file without a path": {`spec: {service: {own: {files: {users: ""}}}}`,
		ownField + ".files: a name in service.own.files must be the absolute path of a file"},
	"two timed steps": {`spec: {service: {own: {login: {steps: [{path: /a, timed: true}, {path: /b, timed: true}]}}}}`,
		ownField + ".login: at most one of service.own.login.steps can be timed"},
	"a request with two bodies": {`spec: {service: {own: {login: {steps: [{path: /a, body: a, form: {a: b}}]}}}}`,
		ownField + ".login.steps[0]: a request of service.own.login can have only one of json, form and body"},
	"an extraction from two places": {`spec: {service: {own: {login: {steps: [
		{path: /a, extract: {csrf: {header: A, cookie: B}}}]}}}}`,
		ownField + ".login.steps[0].extract[csrf]: an extraction must have exactly one of"},
	"a name of Hashmark's for a value": {`spec: {service: {own: {login: {steps: [
		{path: /a, extract: {HASHMARK_USER: {header: A}}}]}}}}`,
		ownField + ".login.steps[0].extract: a name of extract must begin with a letter or _"},
	"the longest name in each map": {longNames(128)},
	"a name that is too long, in each map": {longNames(129),
		ownField + ".env: a name of service.own.env can have at most 128 characters",
		ownField + ".files: a path of service.own.files can have at most 256 characters",
		ownField + ".login.setup[0].headers: a name of headers can have at most 128 characters",
		ownField + ".login.setup[0].json: a name of json can have at most 128 characters",
		ownField + ".login.setup[0].extract: a name of extract can have at most 128 characters",
		ownField + ".login.setup[1].form: a name of form can have at most 128 characters",
		ownField + ".login.steps[0].headers: a name of headers can have at most 128 characters",
		ownField + ".login.steps[0].json: a name of json can have at most 128 characters",
		ownField + ".login.steps[0].extract: a name of extract can have at most 128 characters",
		ownField + ".login.steps[1].form: a name of form can have at most 128 characters"},
	"125 KiB of arguments in characters of two bytes": {
		fmt.Sprintf(`spec: {service: {own: {args: [%s]}}}`, list(`"`+strings.Repeat("é", 4_000)+`"`, 16))},
	"more than 128 KiB of arguments, environment and files": {
		fmt.Sprintf(`spec: {service: {own: {args: [%s], env: {A: %s}, files: {/a: %s}}}}`,
			list(`"`+strings.Repeat("é", 2_000)+`"`, 16), strings.Repeat("a", 4_000), strings.Repeat("a", 64_000)),
		ownField + ": command, args, env and files of service.own have more than 128 KiB together"},
	"63 KiB of requests": {fmt.Sprintf(`spec: {service: {own: {login: {steps: [%s]}}}}`, requests(7_000))},
	"more than 64 KiB of requests": {
		fmt.Sprintf(`spec: {service: {own: {login: {setup: [%[1]s], steps: [%[1]s]}}}}`, requests(7_200)),
		ownField + ".login.setup: service.own.login.setup has more than 64 KiB of text",
		ownField + ".login.steps: service.own.login.steps have more than 64 KiB of text"},
	"more than 64 KiB of forms": {fmt.Sprintf(`spec: {service: {own: {login: {steps: [%s]}}}}`,
		list(fmt.Sprintf(`{path: /a, form: {A: %[1]s, B: %[1]s, C: %[1]s, D: %[1]s, E: %[1]s}}`, strings.Repeat("a", 1_700)), 8)),
		ownField + ".login.steps: service.own.login.steps have more than 64 KiB of text"},
}

// longNames has a name of so many characters in each map, and a path with 128 characters before it.
func longNames(characters int) string {
	name := strings.Repeat("a", characters)
	return fmt.Sprintf(`spec: {service: {own: {env: {%[1]s: a}, files: {/%[2]s%[1]s: a}, login: {
		setup: [{path: /a, headers: {%[1]s: a}, json: {%[1]s: a}, extract: {%[1]s: {header: A}}}, {path: /a, form: {%[1]s: a}}],
		steps: [{path: /a, headers: {%[1]s: a}, json: {%[1]s: a}, extract: {%[1]s: {header: A}}}, {path: /a, form: {%[1]s: a}}]}}}}`,
		name, strings.Repeat("a", 127))
}

// requests returns eight requests with a header of 1,000 characters and a body.
func requests(body int) string {
	return list(fmt.Sprintf(`{path: /a, headers: {A: %s}, body: %s}`, strings.Repeat("a", 1_000), strings.Repeat("a", body)), 8)
}

// list returns a list of n equal entries, without its brackets.
func list(entry string, n int) string { return strings.Join(slices.Repeat([]string{entry}, n), ", ") }
