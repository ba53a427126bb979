//go:build integration

package integration

import (
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// manifest is an object as a user writes it. Tests send text and not typed objects, because
// a typed object can neither omit a field nor hold a value of the wrong type.
type manifest string

// plainExperiment is the smallest experiment that the API accepts.
const plainExperiment manifest = `
apiVersion: hashmark.dev/v1beta1
kind: SizingExperiment
metadata: {name: plain, namespace: default}
spec:
  matrix: {costs: [10], cpuLimits: ["1"]}
  objective: {p95Milliseconds: 1000}
`

// plainTrial is a trial as the operator plans it for plainExperiment.
const plainTrial manifest = `
apiVersion: hashmark.dev/v1beta1
kind: SizingTrial
metadata: {name: plain, namespace: default}
spec:
  variant: {name: c10-1, hash: {bcrypt: {cost: 10}}, cpuLimit: "1", concurrency: {mode: WorkerPool}}
  repetition: 1
  sequence: 1
  objective: {p95Milliseconds: 1000}
  seed: 7
  attempts: 3
  suspend: true
`

// with returns the object of the manifest after the changes are applied, each a JSON merge
// patch in YAML: null removes a field.
func (m manifest) with(t *testing.T, changes ...string) *unstructured.Unstructured {
	t.Helper()
	document := asJSON(t, string(m))
	for _, change := range changes {
		merged, err := jsonpatch.MergePatch(document, asJSON(t, change))
		if err != nil {
			t.Fatalf("applying %s to the manifest: %v", change, err)
		}
		document = merged
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(document); err != nil {
		t.Fatalf("reading the manifest %s: %v", document, err)
	}
	return object
}

// asJSON turns YAML into JSON; an empty text is an empty change.
func asJSON(t *testing.T, text string) []byte {
	t.Helper()
	if strings.TrimSpace(text) == "" {
		return []byte("{}")
	}
	document, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s is not YAML: %v", text, err)
	}
	return document
}
