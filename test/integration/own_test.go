//go:build integration

package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ownExperiment has a login service of the user's.
const ownExperiment = manifest(`
apiVersion: hashmark.dev/v1alpha1
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

func TestAUsersOwnLoginService(t *testing.T) {
	const field = "spec.service.own"
	checkCreations(t, ownExperiment, map[string]admission{
		"as few fields as possible": {},
		"a script":                  {change: `{spec: {service: {own: {login: {steps: null, script: "export function login() {}"}}}}}`},
		"TLS, which is for Hashmark's service": {
			change:   `{spec: {service: {tls: {}}}}`,
			refusals: []string{`spec.service: service.tls is for Hashmark's login service only, and logins at service.own are sent without TLS; remove one of them`},
		},
		"another hash": {change: `{spec: {service: {own: {hash: Other}}}}`},
		"another hash, with a demand": {
			change:   `{spec: {service: {own: {hash: Other}}, demand: {loginsPerSecond: 2}}}`,
			refusals: []string{`spec: service.own.hash Other is no bcrypt hash, so no cost can be recommended or priced; remove demand and prices, or use Bcrypt`},
		},
		"neither steps nor a script": {
			change:   `{spec: {service: {own: {login: {steps: null}}}}}`,
			refusals: []string{field + `.login: service.own.login must have either steps or script`},
		},
		"both steps and a script": {
			change:   `{spec: {service: {own: {login: {script: "export function login() {}"}}}}}`,
			refusals: []string{field + `.login: service.own.login must have either steps or script`},
		},
		"the port of the evidence": {
			change:   `{spec: {service: {own: {port: 18080}}}}`,
			refusals: []string{field + `: service.own.port must not be 18080, where Hashmark reads what the container uses`},
		},
		"an environment variable of Hashmark's": {
			change:   `{spec: {service: {own: {env: {HASHMARK_COST: "4"}}}}}`,
			refusals: []string{field + `.env: a name of service.own.env must begin with a letter or _, have only letters, digits, _, - and ., and not begin with HASHMARK_`},
		},
		"a file without a path": {
			change:   `{spec: {service: {own: {files: {users: ""}}}}}`,
			refusals: []string{field + `.files: a name in service.own.files must be the absolute path of a file`},
		},
		"two timed steps": {
			change:   `{spec: {service: {own: {login: {steps: [{path: /a, timed: true}, {path: /b, timed: true}]}}}}}`,
			refusals: []string{field + `.login: at most one of service.own.login.steps can be timed`},
		},
		"a request with two bodies": {
			change:   `{spec: {service: {own: {login: {steps: [{path: /a, body: a, form: {a: b}}]}}}}}`,
			refusals: []string{field + `.login.steps[0]: a request of service.own.login can have only one of json, form and body`},
		},
		"an extraction from two places": {
			change:   `{spec: {service: {own: {login: {steps: [{path: /a, extract: {csrf: {header: A, cookie: B}}}]}}}}}`,
			refusals: []string{field + `.login.steps[0].extract[csrf]: an extraction must have exactly one of header, cookie, formField, json and regexp`},
		},
		"a name that is too long, in each map": {
			change: fmt.Sprintf(`{spec: {service: {own: {env: {%[1]s: a}, files: {/%[1]s%[1]s: a}, login: {setup: [{path: /a, form: {%[1]s: a}}],
				steps: [{path: /a, headers: {%[1]s: a}, json: {%[1]s: a}, extract: {%[1]s: {header: A}}}]}}}}}`, strings.Repeat("a", 129)),
			refusals: []string{
				field + `.env: a name of service.own.env can have at most 128 characters; shorten it`,
				field + `.files: a path of service.own.files can have at most 256 characters; shorten it`,
				field + `.login.setup[0].form: a name of form can have at most 128 characters; shorten it`,
				field + `.login.steps[0].headers: a name of headers can have at most 128 characters; shorten it`,
				field + `.login.steps[0].json: a name of json can have at most 128 characters; shorten it`,
				field + `.login.steps[0].extract: a name of extract can have at most 128 characters; shorten it`,
			},
		},
		"125 KiB of arguments in characters of two bytes": {change: fmt.Sprintf(`{spec: {service: {own: {args: [%s]}}}}`, list(`"`+strings.Repeat("é", 4_000)+`"`, 16))},
		"more than 128 KiB of arguments, environment and files": {
			change: fmt.Sprintf(`{spec: {service: {own: {args: [%s], env: {A: %s}, files: {/a: %s}}}}}`,
				list(`"`+strings.Repeat("é", 2_000)+`"`, 16), strings.Repeat("a", 4_000), strings.Repeat("a", 64_000)),
			refusals: []string{field + `: command, args, env and files of service.own have more than 128 KiB together; shorten them, or put them into the image`},
		},
		"more than 64 KiB of requests": {
			change: fmt.Sprintf(`{spec: {service: {own: {login: {setup: [%s], steps: [%s]}}}}}`,
				list(fmt.Sprintf(`{path: /a, headers: {A: %s}, body: %s}`, strings.Repeat("a", 1_000), strings.Repeat("a", 7_200)), 8),
				list(fmt.Sprintf(`{path: /a, form: {A: %[1]s, B: %[1]s, C: %[1]s, D: %[1]s, E: %[1]s}}`, strings.Repeat("a", 1_700)), 8)),
			refusals: []string{
				field + `.login.setup: service.own.login.setup has more than 64 KiB of text; shorten the requests`,
				field + `.login.steps: service.own.login.steps have more than 64 KiB of text; shorten the requests`,
			},
		},
		"63 KiB of requests": {change: fmt.Sprintf(`{spec: {service: {own: {login: {steps: [%s]}}}}}`,
			list(fmt.Sprintf(`{path: /a, headers: {A: %s}, body: %s}`, strings.Repeat("a", 1_000), strings.Repeat("a", 7_000)), 8))},
		"a name of Hashmark's for a value": {
			change:   `{spec: {service: {own: {login: {steps: [{path: /a, extract: {HASHMARK_USER: {header: A}}}]}}}}}`,
			refusals: []string{field + `.login.steps[0].extract: a name of extract must begin with a letter or _, have only letters, digits and _, and not begin with HASHMARK_`},
		},
	})
}

// list returns a list of n equal entries, without its brackets.
func list(entry string, n int) string { return strings.Join(slices.Repeat([]string{entry}, n), ", ") }
