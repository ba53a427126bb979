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
        steps: [{path: /login, auth: Basic}]
        wrong: {status: [401]}
`)

const (
	ownField      = "spec.service.own"
	stepsOrScript = ownField + ".login: service.own.login must have either steps or script"
	asALogin      = ownField + ".login: service.own.login.wrong has a status that the last of steps expects"
	headerName    = ownField + ".login.steps[0].headers: a name of headers must have only letters"
	costUnused    = "spec: with several costs, service.own must use $(HASHMARK_COST) or $(HASHMARK_PASSWORD_HASH)"
	unclean       = ownField + ": a path of service.own.files or writable can't be mounted"
	mounted       = ownField + ": a path of service.own.files or writable is, contains or is in one that Kubernetes"
	nested        = ownField + ": a path of service.own.files or writable is the same as another one"
)

var ofOwnService = cases{
	"as few fields as possible": {``},
	"a script":                  {`spec: {service: {own: {login: {steps: null, script: "export function login() {}"}}}}`},
	"Hashmark's service as well": {`spec: {service: {builtin: {}}}`,
		"spec.service: service has both builtin, which is Hashmark's login service, and own, which is yours"},
	"without concurrency": {`spec: {matrix: {concurrency: null}}`, "spec: with service.own, matrix.concurrency must say how many logins"},
	"bcrypt and another hash": {`spec: {matrix: {hashes: [{name: plain, other: {}}]}}`,
		"spec: the matrix has bcrypt and other, and nothing tells the service which of them to compute"},
	"several costs, with one in an argument":           {costs(`args: ["--cost=$(HASHMARK_COST)"]`)},
	"several costs, with one in the command":           {costs(`command: [/login, "--cost=$$$(HASHMARK_COST)"]`)},
	"several costs, with one in a variable":            {costs(`env: [{name: A, value: $(HASHMARK_COST)}]`)},
	"several costs, with a hash in a file":             {costs(`files: [{path: /a, content: "u:$(HASHMARK_PASSWORD_HASH)"}]`)},
	"several costs, which do not reach the service":    {costs(`args: ["--workers=$(HASHMARK_WORKERS)"], env: [{name: A, value: b}]`), costUnused},
	"several costs, with the text instead of the cost": {costs(`args: ["$$(HASHMARK_COST)"], files: [{path: /a, content: a}]`), costUnused},
	"a cost that has a name":                           {`spec: {matrix: {costs: null, hashes: [{name: again, bcrypt: {cost: 10}}]}, demand: {loginsPerSecond: 2}}`},
	"another hash":                                     {`spec: {matrix: {costs: null, hashes: [{name: plain, other: {}}]}}`},
	"another hash, with prices": {`spec: {matrix: {hashes: [{name: plain, other: {}}]}, prices: {}}`,
		"spec: a hash with other is unknown, so that it can't be recommended or priced"},
	"a hash of Hashmark's service": {`spec: {matrix: {hashes: [{name: cheap, sha256: {}}]}}`,
		"spec: with service.own, each hash of matrix.hashes must be bcrypt or other, without sessions"},
	"sessions of Hashmark's service": {`spec: {matrix: {hashes: [{name: session, bcrypt: {cost: 8}, sessions: true}]}}`,
		"spec: with service.own, each hash of matrix.hashes must be bcrypt or other, without sessions"},
	"neither steps nor a script": {`spec: {service: {own: {login: {steps: null}}}}`, stepsOrScript},
	"both steps and a script":    {`spec: {service: {own: {login: {script: "export function login() {}"}}}}`, stepsOrScript},
	"the port of the evidence":   {`spec: {service: {own: {port: 18080}}}`, ownField + ": service.own.port must not be 18080"},
	"another path of the probe":  {`spec: {service: {own: {alivePath: /live}}}`},
	"the same path of the probe": {`spec: {service: {own: {alivePath: /ready}}}`, ownField + ": service.own.alivePath is by default the path of ready"},
	"a variable without a value": {`spec: {service: {own: {env: [{name: A, value: ""}]}}}`},
	"an environment variable of Hashmark's": {`spec: {service: {own: {env: [{name: HASHMARK_COST, value: "4"}]}}}`,
		ownField + ".env[0].name: a name of service.own.env must begin with a letter or _"},
	"files and folders beside each other": {mounts(`[/data, /data2/a]`, `/etc/hosts2, /data2/b, /run/login/users`)},
	"a file without a path":               {mounts(`[]`, `users`), unclean},
	"a folder with a / at its end":        {mounts(`[/data/]`, ``), unclean},
	"the root":                            {mounts(`[/]`, ``), unclean},
	"a folder that goes up":               {mounts(`[/data/../etc]`, ``), unclean},
	"a file of a folder that is a dot":    {mounts(`[]`, `/data/./users`), unclean},
	"a folder of the kernel":              {mounts(`[/proc]`, ``), mounted},
	"a folder in one of the kernel":       {mounts(`[/sys/fs/cgroup]`, ``), mounted},
	"a file of kubelet":                   {mounts(`[]`, `/etc/hosts`), mounted},
	"a folder with files of kubelet":      {mounts(`[/etc]`, ``), mounted},
	"a file of Hashmark's":                {mounts(`[]`, `/run/hashmark/loginservice`), mounted},
	"a folder with Hashmark's":            {mounts(`[/var/run]`, ``), mounted},
	"a file in a writable folder":         {mounts(`[/data]`, `/data/a/users`), nested},
	"a file as a writable folder":         {mounts(`[/data]`, `/data`), nested},
	"a writable folder in another one":    {mounts(`[/data, /data/a]`, ``), nested},
	"64 KiB of files":                     {fmt.Sprintf(`spec: {service: {own: {files: [{path: /a, content: %[1]s}, {path: /b, content: %[1]s}]}}}`, strings.Repeat("é", 16<<10))},
	"more than 64 KiB of files": {fmt.Sprintf(`spec: {service: {own: {files: [{path: /a, content: %[1]s}, {path: /b, content: %[1]sa}]}}}`, strings.Repeat("é", 16<<10)),
		ownField + ".files: service.own.files have more than 64 KiB in total"},
	"one of two steps is timed": {`spec: {service: {own: {login: {steps: [{path: /a}, {path: /b, timed: true}]}}}}`},
	"two timed steps": {`spec: {service: {own: {login: {steps: [{path: /a, timed: true}, {path: /b, timed: true}]}}}}`,
		ownField + ".login: at most one of service.own.login.steps can be timed"},
	"the only step is timed": {`spec: {service: {own: {login: {steps: [{path: /a, timed: true}]}}}}`,
		ownField + ".login.steps: the only one of service.own.login.steps is always timed"},
	"a timed request of setup": {`spec: {service: {own: {login: {setup: [{path: /a, timed: true}]}}}}`,
		ownField + ".login.setup: requests of service.own.login.setup are sent before the load and can't be timed"},
	"the same name in setup and steps": {`spec: {service: {own: {login: {setup: [{name: a, path: /a}, {path: /b}], steps: [{name: a, path: /a}, {path: /b}]}}}}`},
	"a name twice": {`spec: {service: {own: {login: {setup: [{name: a, path: /a}, {name: a, path: /b}], steps: [{name: b, path: /a}, {name: b, path: /b}]}}}}`,
		ownField + ".login.setup: two requests of service.own.login.setup have the same name",
		ownField + ".login.steps: two requests of service.own.login.steps have the same name"},
	"a wrong password is refused like a login": {`spec: {service: {own: {login: {wrong: {status: [401, 204]}}}}}`, asALogin},
	"a wrong password is redirected like a login": {
		`spec: {service: {own: {login: {steps: [{path: /a, expect: {status: [302]}}], wrong: {status: [302]}}}}}`, asALogin},
	"a wrong password is redirected, and a login is not": {
		`spec: {service: {own: {login: {steps: [{path: /a, expect: {status: [302]}}, {path: /b}], wrong: {status: [302]}}}}}`},
	"a value tells a login from a wrong password": {
		`spec: {service: {own: {login: {steps: [{path: /a, extract: [{name: token, json: token}]}], wrong: {status: [200]}}}}}`},
	"a request with two bodies": {`spec: {service: {own: {login: {steps: [{method: POST, path: /a, body: a, form: [{name: a, value: b}]}]}}}}`,
		ownField + ".login.steps[0]: a request of service.own.login can have only one of json, form and body"},
	"a body with GET": {`spec: {service: {own: {login: {setup: [{path: /a, json: {a: b}}], steps: [{method: GET, path: /a, body: a}]}}}}`,
		ownField + ".login.setup[0]: a request of service.own.login with the method GET can't have json, form or body",
		ownField + ".login.steps[0]: a request of service.own.login with the method GET can't have json, form or body"},
	"a header twice": {step(`headers: [{name: X-Role, value: a}, {name: X-Role, value: b}]`)},
	"a header that auth sets": {step(`auth: Basic, headers: [{name: authorization, value: a}]`),
		ownField + ".login.steps[0]: a request with auth: Basic can't have the header Authorization"},
	"a header with a colon": {step(`headers: [{name: "X-Role:", value: a}]`), headerName},
	"a header that k6 sets": {step(`headers: [{name: content-length, value: "4"}]`), headerName},
	"an extraction from two places": {step(`extract: [{name: csrf, header: A, cookie: B}]`),
		ownField + ".login.steps[0].extract[0]: an extraction must have exactly one of"},
	"a name of Hashmark's for a value": {step(`extract: [{name: HASHMARK_USER, header: A}]`),
		ownField + ".login.steps[0].extract[0].name: a name of extract must begin with a letter or _"},
	"the longest name in JSON": {step(fmt.Sprintf(`method: POST, json: {%s: a}`, strings.Repeat("a", 128)))},
	"a name in JSON that is too long": {step(fmt.Sprintf(`method: POST, json: {%s: a}`, strings.Repeat("a", 129))),
		ownField + ".login.steps[0].json: a name of json can have at most 128 characters"},
	"125 KiB of arguments in characters of two bytes": {
		fmt.Sprintf(`spec: {service: {own: {args: [%s]}}}`, list(`"`+strings.Repeat("é", 4_000)+`"`, 16))},
	"more than 128 KiB of arguments, environment and files": {
		fmt.Sprintf(`spec: {service: {own: {args: [%s], env: [{name: A, value: %s}], files: [{path: /a, content: %s}]}}}`,
			list(`"`+strings.Repeat("é", 2_000)+`"`, 16), strings.Repeat("a", 4_000), strings.Repeat("a", 64_000)),
		ownField + ": command, args, env and files of service.own have more than 128 KiB together"},
	"63 KiB of requests": {fmt.Sprintf(`spec: {service: {own: {login: {steps: [%s]}}}}`, requests(7_000))},
	"more than 64 KiB of requests": {
		fmt.Sprintf(`spec: {service: {own: {login: {setup: [%[1]s], steps: [%[1]s]}}}}`, requests(7_200)),
		ownField + ".login.setup: service.own.login.setup has more than 64 KiB of text",
		ownField + ".login.steps: service.own.login.steps have more than 64 KiB of text"},
	"more than 64 KiB of forms": {fmt.Sprintf(`spec: {service: {own: {login: {steps: [%s]}}}}`,
		list(fmt.Sprintf(`{method: POST, path: /a, form: [%s]}`, list(fmt.Sprintf(`{name: A, value: %s}`, strings.Repeat("a", 1_700)), 5)), 8)),
		ownField + ".login.steps: service.own.login.steps have more than 64 KiB of text"},
}

// costs has two costs, and fields of the service.
func costs(fields string) string {
	return fmt.Sprintf(`spec: {matrix: {costs: [8, 10]}, service: {own: {%s}}}`, fields)
}

// mounts has writable folders, and files with such paths.
func mounts(writable, paths string) string {
	var files []string
	for _, path := range strings.Fields(strings.ReplaceAll(paths, ",", " ")) {
		files = append(files, fmt.Sprintf(`{path: %s, content: a}`, path))
	}
	return fmt.Sprintf(`spec: {service: {own: {writable: %s, files: [%s]}}}`, writable, strings.Join(files, ", "))
}

// step has one step with such fields.
func step(fields string) string {
	return fmt.Sprintf(`spec: {service: {own: {login: {steps: [{path: /a, %s}]}}}}`, fields)
}

// requests returns eight requests with a header of 1,000 characters and a body.
func requests(body int) string {
	return list(fmt.Sprintf(`{method: POST, path: /a, headers: [{name: A, value: %s}], body: %s}`, strings.Repeat("a", 1_000), strings.Repeat("a", body)), 8)
}

// list returns a list of n equal entries, without its brackets.
func list(entry string, n int) string { return strings.Join(slices.Repeat([]string{entry}, n), ", ") }
