package chart_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// toggles returns the paths of the values that can be set, down to where a user's own text or
// a part of a pod begins.
func toggles(values map[string]any, prefix string) []string {
	whole := []string{"operator.resources", "dashboards.labels"}
	var found []string
	for key, value := range values {
		nested, isMap := value.(map[string]any)
		if isMap && len(nested) > 0 && !slices.Contains(whole, prefix+key) {
			found = append(found, toggles(nested, prefix+key+".")...)
		} else {
			found = append(found, prefix+key)
		}
	}
	return found
}

// set returns the paths of the values that the suites in a folder set, as in toggles.
func set(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found no suites in %s: %v", folder, err)
	}
	found := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var suite struct {
			Tests []struct{ Set map[string]any }
		}
		if err := yaml.Unmarshal(content, &suite); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, test := range suite.Tests {
			for _, path := range prefixes(test.Set, "") {
				found[path] = true
			}
		}
	}
	return found
}

// prefixes returns the paths of everything in a map. A key may itself be a path.
func prefixes(values map[string]any, prefix string) []string {
	var found []string
	for key, value := range values {
		words := strings.Split(key, ".")
		for n := range words {
			found = append(found, prefix+strings.Join(words[:n+1], "."))
		}
		if nested, isMap := value.(map[string]any); isMap {
			found = append(found, prefixes(nested, prefix+key+".")...)
		}
	}
	return found
}

func TestEveryToggleHasATestOfTheChart(t *testing.T) {
	var values map[string]any
	read(t, "values.yaml", &values)
	known, tested := toggles(values, ""), set(t, chart+"tests")
	if len(known) < 70 {
		t.Fatalf("found %d toggles, want at least 70: the test reads the wrong file", len(known))
	}
	slices.Sort(known)
	for _, toggle := range known {
		if !tested[toggle] {
			t.Errorf("no test in charts/hashmark/tests sets %s", toggle)
		}
	}
	if t.Failed() {
		t.Logf("they set %v", slices.Sorted(maps.Keys(tested)))
	}
}
