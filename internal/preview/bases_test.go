package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/hashmark-dev/hashmark/test/fixture"
)

// The parts that most bases have.
const (
	usual = `objective: {p50Milliseconds: 20, p95Milliseconds: 96, p99Milliseconds: 400, maxErrorPerMille: 10}, seed: 7, repetitions: 1,
		generator: {cpuLimit: 500m}, service: {replicas: 1, memoryLimit: 512Mi}`
	timed    = `load: {stepSeconds: 10, warmupSeconds: 5, requestTimeoutSeconds: 10}`
	priced   = `prices: {currency: USD, perCPUHour: "0.04", perGiBHour: "0.005", gpuHour: "0.9", guessesPerSecondAtCost10: 9000}`
	demanded = `demand: {loginsPerSecond: 50, headroomPercent: 30, minimumCost: 8, maxTotalCPU: "9", maxReplicas: 9, surviveReplicas: 1, verify: Replica}`
)

// bases are changes of the smallest experiments. Together they have every field of the spec and each member of its
// unions. All but one have as many fields as are accepted together; predictions take time.
var bases = map[string]struct {
	of      fixture.Manifest
	changes []string
}{
	"a capacity": {fixture.PlainExperiment, []string{usual, timed, priced, demanded, `prices: {perCPUHour: null},
		parallelism: 1, attemptsPerTrial: 3, suspend: false, cancel: false, ttlSecondsAfterFinished: 60,
		load: {capacity: {minSamples: 200, maxStepSeconds: 90, arrivals: Poisson}},
		matrix: {costs: [8, 9], cpuLimits: [500m], measure: All, concurrency: [{mode: WorkerPool, workers: 1, queueLength: 64}], nodePools: [
			{name: a, nodeSelector: {pool: a}, tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}, {key: b, operator: Exists}], perCPUHour: "0.05"}]}`}},
	"a decision": {fixture.PlainExperiment, []string{`demand: {loginsPerSecond: 50, minimumCost: 8, verify: Replica}, repetitions: 2, alsoMeasure: [c8-250m],
		matrix: {costs: [8, 9, 10], cpuLimits: [250m, 500m, 1], measure: Decision}`}},
	"corners": {fixture.PlainExperiment, []string{`demand: {loginsPerSecond: 50, minimumCost: 8}, matrix: {costs: [8, 9, 10], cpuLimits: [250m, 500m, 1], measure: Corners}`}},
	"rates": {fixture.PlainExperiment, []string{usual, timed, priced, demanded, `baseline: c8-1, service: {builtin: {tls: {handshakes: EachLogin}}},
		load: {rates: {perSecond: [5, 9], arrivals: Uniform}, stepSeconds: 60}, matrix: {costs: [8, 9], cpuLimits: [1]}`}},
	"users": {fixture.PlainExperiment, []string{usual, timed, priced, `baseline: c8-1, prices: {perCPUHour: null, perGiBHour: null},
		load: {users: {counts: [1, 4]}}, matrix: {costs: [8, 9], cpuLimits: [1], concurrency: [{mode: Unbounded}]}`}},
	"hashes to choose from": {fixture.PlainExperiment, []string{usual, timed, priced, demanded, `load: {rates: {perSecond: [20, 30, 70]}}, demand: {hashes: [bcrypt, argon2id, scrypt]},
		matrix: {costs: null, cpuLimits: [1], hashes: [{name: again, bcrypt: {cost: 8}, sessions: false},
			{name: argon, argon2id: {memoryKiB: 19456, iterations: 2, parallelism: 1}, guessesPerSecond: 9000, sessions: false},
			{name: scrypt, scrypt: {memoryKiB: 16384, parallelism: 1}, guessesPerSecond: 9000},
			{name: pbkdf2, pbkdf2: {digest: SHA-256, iterations: 200000}, guessesPerSecond: 9000}]}`}},
	"hashes to look at": {fixture.PlainExperiment, []string{usual, timed, priced, `load: {rates: {perSecond: [20, 30, 70]}},
		matrix: {costs: null, cpuLimits: [1], hashes: [{name: cheap, sha256: {}, guessesPerSecond: 9000}, {name: session, bcrypt: {cost: 8}, sessions: true}]}`}},
	"a login of steps": {fixture.OwnExperiment, []string{usual, timed, priced, demanded, `baseline: c8-1, load: {rates: {perSecond: [20, 30, 70]}}, demand: {minimumCost: 4},
		matrix: {costs: [8], hashes: [{name: again, bcrypt: {cost: 7}}], concurrency: [{mode: WorkerPool, workers: 1, queueLength: 64}]},
		service: {own: {args: [--cost=$(HASHMARK_COST)], env: [{name: A, value: a}, &secret {name: B, valueFrom: {secretKeyRef: {name: a, key: a}}}, &settings {name: C, valueFrom: {configMapKeyRef: {name: a, key: a}}}], port: 8080, ready: {path: /ready, auth: Basic, expect: {status: [200]}, timeoutSeconds: 60}, alivePath: /alive,
			companions: [{name: db, image: "registry.example/db:v1", command: [/db], args: [-a], env: [{name: A, value: a}, *secret, *settings], port: 5432, ready: {path: /up, timeoutSeconds: 60},
				cpuLimit: 200m, memoryLimit: 64Mi, writable: [/data]}],
			writable: [/tmp], files: [{path: /etc/a, content: a}, {path: /etc/b, contentFrom: {secretKeyRef: {name: a, key: a}}}, {path: /etc/c, contentFrom: {configMapKeyRef: {name: a, key: a}}}], login: {accounts: 3, accountDistribution: Zipf,
			setup: [&one {name: one, method: POST, path: /one, headers: [{name: A, value: a}], auth: Basic, json: {a: b}, expect: {status: [200]}, extract: [
				{name: a, header: A}, {name: b, cookie: b}, {name: c, formField: c}, {name: d, json: d}, {name: e, regexp: "(e)"}]},
				&two {name: two, method: POST, path: /two, form: [{name: a, value: b}]}, &three {name: three, method: POST, path: /three, body: a}],
			steps: [*one, *two, *three, {path: /four, timed: true}], wrong: {status: [401]}}}}`}},
	"a login in a script": {fixture.OwnExperiment, []string{usual, timed, `matrix: {costs: null, hashes: [{name: plain, other: {}}]},
		service: {own: {login: {steps: null, script: "export function login() {}", setup: [{path: /a}]}}}`}},
}

// unions are the objects that have exactly one, or at most one, of some members.
var unions = map[string][]string{
	"spec.load":                                     {"capacity", "rates", "users"},
	"spec.service":                                  {"builtin", "own"},
	"spec.service.own.login":                        {"steps", "script"},
	"spec.service.own.login.steps[]":                {"json", "form", "body"},
	"spec.service.own.login.setup[]":                {"json", "form", "body"},
	"spec.service.own.login.steps[].extract[]":      {"header", "cookie", "formField", "json", "regexp"},
	"spec.service.own.login.setup[].extract[]":      {"header", "cookie", "formField", "json", "regexp"},
	"spec.service.own.env[].valueFrom":              {"secretKeyRef", "configMapKeyRef"},
	"spec.service.own.files[].contentFrom":          {"secretKeyRef", "configMapKeyRef"},
	"spec.service.own.companions[].env[].valueFrom": {"secretKeyRef", "configMapKeyRef"},
	"spec.matrix.hashes[]":                          {"bcrypt", "argon2id", "scrypt", "pbkdf2", "sha256", "other"},
}

// acting has the fields that act only while the operator runs, each with the test that shows what it does.
var acting = map[string]struct{ file, test string }{
	"spec.parallelism":             {"controllers/turn_test.go", "TestTwoTrialsRunAtOnceWhereThatIsAllowed"},
	"spec.attemptsPerTrial":        {"internal/lifecycle/decide_test.go", "TestEachStateIsFollowedByOneAction"},
	"spec.suspend":                 {"controllers/scenario_test.go", "TestASuspendedTrialIsMeasuredAfresh"},
	"spec.cancel":                  {"controllers/scenario_test.go", "TestACancelledExperimentKeepsItsResultsSoFar"},
	"spec.ttlSecondsAfterFinished": {"controllers/ttl_test.go", "TestAFinishedExperimentIsDeletedWhenItsTimeIsUp"},
}

// neverTrue are the fields that can't have an effect. Any other value than the default is refused.
var neverTrue = map[string]string{
	"spec.service.own.login.setup[].timed": `service: {own: {login: {setup: [{path: /a, timed: true}]}}}`,
}

// node is the spec of an experiment, or a part of it.
type node struct {
	// path has [] for an entry of a list and for the value of a key.
	path   string
	schema apiextensionsv1.JSONSchemaProps
	value  any
	// set replaces it in the experiment; nil removes it.
	set func(any)
}

func (n node) leaf() bool {
	return len(n.schema.Properties) == 0 && n.schema.Items == nil && n.schema.AdditionalProperties == nil
}

// isDefault reports whether a value means the same as the field's absence.
func (n node) isDefault(value any) bool {
	return value == false || n.schema.Default != nil && strings.Trim(string(n.schema.Default.Raw), `"`) == fmt.Sprint(value)
}

func (n node) field(fields map[string]any, name string) node {
	below := node{path: n.path + "[]", value: fields[name]}
	if n.schema.AdditionalProperties != nil {
		below.schema = *n.schema.AdditionalProperties.Schema
	} else {
		below.path, below.schema = n.path+"."+name, n.schema.Properties[name]
	}
	below.set = func(to any) {
		if to == nil {
			delete(fields, name)
		} else {
			fields[name] = to
		}
	}
	return below
}

// all returns the node and all that is in it.
func (n node) all() []node {
	found := []node{n}
	switch value := n.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = append(found, n.field(value, name).all()...)
		}
	case []any:
		for i := range value {
			found = append(found, node{n.path + "[]", *n.schema.Items.Schema, value[i], func(to any) { value[i] = to }}.all()...)
		}
	}
	return found
}

// others returns values to replace that of the field. The API may refuse some of them. The last one, nil, removes the field.
func (n node) others(variants []string) []any {
	var all []any
	switch value := n.value.(type) {
	case bool:
		all = append(all, !value)
	case int64:
		all = append(all, 2*value, value/2, value/4, value/16, 50*value, value+1, value-1, int64(0))
	case string:
		for _, choice := range n.schema.Enum {
			all = append(all, strings.Trim(string(choice.Raw), `"`))
		}
		if len(all) > 0 {
			break
		}
		for _, text := range append(variants, "EUR", "0.7", "2", "300m", "1Gi", value+"x") {
			all = append(all, text)
		}
	}
	return slices.DeleteFunc(append(all, nil), func(other any) bool { return other == n.value })
}

// fields returns the paths of all leaves of a schema.
func fields(path string, s apiextensionsv1.JSONSchemaProps) []string {
	var all []string
	for name, below := range s.Properties {
		all = append(all, fields(path+"."+name, below)...)
	}
	if s.Items != nil {
		all = append(all, fields(path+"[]", *s.Items.Schema)...)
	}
	if s.AdditionalProperties != nil {
		all = append(all, fields(path+"[]", *s.AdditionalProperties.Schema)...)
	}
	if len(all) == 0 {
		all = append(all, path)
	}
	return all
}
