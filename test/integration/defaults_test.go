//go:build integration

package integration

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// plainDefaulted is plainExperiment's spec as the API stores it: every default that docs and
// kubectl explain promise, and nothing else.
const plainDefaulted = `
matrix: {costs: [10], cpuLimits: ["1"]}
service: {replicas: 1, memoryLimit: 128Mi}
load:
  stepSeconds: 10
  warmupSeconds: 5
  requestTimeoutSeconds: 10
objective: {p95Milliseconds: 1000, maxErrorPerMille: 10}
repetitions: 1
parallelism: 1
attemptsPerTrial: 3
suspend: false
cancel: false
`

func TestDefaultsAreFilledIn(t *testing.T) {
	for name, test := range map[string]struct{ change, want string }{
		"without load and service": {want: plainDefaulted},
		"with empty load and service": {
			change: `{spec: {load: {}, service: {}}}`, want: plainDefaulted},
		// Some tools write null for absent fields.
		"with load and service that are null": {
			change: `{spec: {matrix: {concurrency: null}, load: null, service: null}}`, want: plainDefaulted},
	} {
		t.Run(name, func(t *testing.T) {
			created := create(t, plainExperiment, test.change)
			if diff := cmp.Diff(parsed(t, test.want), created.Object["spec"]); diff != "" {
				t.Errorf("the spec that the API keeps (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("in a demand and in prices", func(t *testing.T) {
		created := create(t, plainExperiment, `{spec: {demand: {loginsPerSecond: 60}, prices: {}}}`)
		for field, want := range map[string]string{
			"demand": `{loginsPerSecond: 60, headroomPercent: 30, minimumCost: 10, surviveReplicas: 0, verify: Replica}`,
			"prices": `{currency: USD, guessesPerSecondAtCost10: 10000}`,
		} {
			got, _, err := unstructured.NestedFieldNoCopy(created.Object, "spec", field)
			if diff := cmp.Diff(parsed(t, want), got); err != nil || diff != "" {
				t.Errorf("the %s that the API keeps (-want +got), error %v:\n%s", field, err, diff)
			}
		}
	})
	t.Run("in hashes, which are OWASP's", func(t *testing.T) {
		created := create(t, plainExperiment, `{spec: {service: {memoryLimit: 192Mi}, matrix: {hashes: [
			{name: a, argon2id: {}}, {name: s, scrypt: {}}, {name: p, pbkdf2: {}}]}}}`)
		want := parsed(t, `[{name: a, argon2id: {memoryKiB: 19456, iterations: 2, parallelism: 1}},
			{name: s, scrypt: {memoryKiB: 131072, parallelism: 1}}, {name: p, pbkdf2: {digest: SHA-256, iterations: 600000}}]`)
		got, _, err := unstructured.NestedFieldNoCopy(created.Object, "spec", "matrix", "hashes")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("the hashes that the API keeps (-want +got), error %v:\n%s", err, diff)
		}
	})
	t.Run("in a toleration", func(t *testing.T) {
		created := create(t, plainExperiment,
			`{spec: {matrix: {nodePools: [{name: small, tolerations: [{key: pool}]}]}}}`)
		want := parsed(t, `[{name: small, tolerations: [{key: pool, operator: Equal}]}]`)
		got, _, err := unstructured.NestedFieldNoCopy(created.Object, "spec", "matrix", "nodePools")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("the pools that the API keeps (-want +got), error %v:\n%s", err, diff)
		}
	})
}

// full is a spec with every field except load.capacity and load.users, which load.rates
// excludes, and with quantities in spellings that a typed quantity would rewrite.
const full = `
spec:
  matrix:
    costs: [8, 10]
    cpuLimits: ["0.5", 1, "1500m"]
    concurrency:
    - {mode: Unbounded}
    - {mode: WorkerPool, workers: 1, queueLength: 64}
    nodePools:
    - name: small
      nodeSelector: {pool: small}
      tolerations: [{key: pool, operator: Equal, value: small, effect: NoSchedule}]
      perCPUHour: "0.0525"
    - {name: any}
    measure: All
  service: {replicas: 2, memoryLimit: 0.125Gi, builtin: {tls: {handshakes: EachLogin}}}
  generator: {cpuLimit: "0.5"}
  load:
    rates: {perSecond: [1, "2.50", 20], arrivals: Uniform}
    stepSeconds: 3
    warmupSeconds: 0
    requestTimeoutSeconds: 5
  objective: {p95Milliseconds: 500, maxErrorPerMille: 0}
  demand: {loginsPerSecond: "60.50", headroomPercent: 0, minimumCost: 10, maxTotalCPU: 8, maxReplicas: 20, surviveReplicas: 1, verify: Full}
  prices:
    currency: USD
    perCPUHour: "0.040"
    gpuHour: "0.80"
    guessesPerSecondAtCost10: 10000
  baseline: c8-500m-u-small
  repetitions: 2
  seed: 0
  parallelism: 2
  attemptsPerTrial: 1
  suspend: true
  cancel: false
  ttlSecondsAfterFinished: 0
`

func TestASpecIsKeptAsWritten(t *testing.T) {
	created := create(t, plainExperiment, full)
	want := parsed(t, full).(map[string]any)["spec"]
	if diff := cmp.Diff(want, created.Object["spec"]); diff != "" {
		t.Fatalf("the spec that the API keeps (-want +got):\n%s", diff)
	}

	// A typed client that reads and writes an object must not appear to edit it.
	typed := &v1beta1.SizingExperiment{}
	if err := apiClient.Get(t.Context(), client.ObjectKeyFromObject(created), typed); err != nil {
		t.Fatalf("reading the experiment: %v", err)
	}
	typed.Spec.Suspend = ptr.To(false)
	if err := strictly().Update(t.Context(), typed); err != nil {
		t.Fatalf("writing back what was read, but for suspend: %v", err)
	}
	if err := apiClient.Get(t.Context(), client.ObjectKeyFromObject(created), created); err != nil {
		t.Fatalf("reading the experiment again: %v", err)
	}
	want.(map[string]any)["suspend"] = false
	if diff := cmp.Diff(want, created.Object["spec"]); diff != "" {
		t.Errorf("the spec after a typed client's update (-want +got):\n%s", diff)
	}
}

// parsed reads YAML into the types that an unstructured object holds.
func parsed(t *testing.T, text string) any {
	t.Helper()
	var value any
	// Kubernetes' own decoder keeps whole numbers whole; Go's turns them into floats.
	if err := json.Unmarshal(asJSON(t, text), &value); err != nil {
		t.Fatalf("reading %s: %v", text, err)
	}
	return value
}
