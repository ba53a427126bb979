//go:build integration

package integration

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/test/fixture"
)

// manifest is an object as a user writes it.
type manifest fixture.Manifest

const (
	plainExperiment = manifest(fixture.PlainExperiment)
	plainTrial      = manifest(fixture.PlainTrial)
	ownExperiment   = manifest(fixture.OwnExperiment)
)

// with returns the object of the manifest after the changes are applied, as fixture.Manifest.With does.
func (m manifest) with(t *testing.T, changes ...string) *unstructured.Unstructured {
	t.Helper()
	document, err := fixture.Manifest(m).With(changes...)
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(document); err != nil {
		t.Fatalf("reading the manifest %s: %v", document, err)
	}
	return object
}

// asJSON turns YAML into JSON.
func asJSON(t *testing.T, text string) []byte {
	t.Helper()
	document, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s is not YAML: %v", text, err)
	}
	return document
}
