package process

import (
	"os"
	"path/filepath"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/yaml"
)

// Config writes a configuration of the operator to a file of the test, and returns the flag that names
// it. The fragments are YAML; later ones take precedence.
func Config(t testing.TB, fragments ...string) string {
	t.Helper()
	merged := []byte(`{"apiVersion": "config.hashmark.dev/v1beta1", "kind": "OperatorConfiguration"}`)
	for _, fragment := range fragments {
		patch, err := yaml.YAMLToJSONStrict([]byte(fragment))
		if err != nil {
			t.Fatalf("the configuration %q: %v", fragment, err)
		}
		if merged, err = jsonpatch.MergePatch(merged, patch); err != nil {
			t.Fatalf("the configuration %q: %v", fragment, err)
		}
	}
	file := filepath.Join(t.TempDir(), "operator.yaml")
	if err := os.WriteFile(file, merged, 0o600); err != nil {
		t.Fatal(err)
	}
	return "--config=" + file
}
