package docs_test

import (
	"bytes"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/internal/preview"
)

// Users copy what the pages and the chart's description show. The samples and examples, which are files of their own, and the
// chart's notes are applied to an API server by test/integration.
func TestDocumentedExperimentsAreAccepted(t *testing.T) {
	shown := map[string]int{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "docs/gallery/*.yaml", "test/cgroup2/*.yaml", "charts/hashmark/README.md", "charts/hashmark/Chart.yaml"} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("found no file as %s, error %v", pattern, err)
		}
		for _, file := range files {
			for _, block := range blocks(t, file) {
				experiment := experimentOf(t, file, block)
				if experiment == nil {
					continue
				}
				shown[pattern]++
				p, err := preview.Of(t.Context(), experiment, preview.UsualHashTime())
				if err != nil {
					t.Errorf("%s: %v", file, err)
				}
				for _, refusal := range p.Refusals {
					t.Errorf("%s shows what is refused: %s\n%s", file, refusal, block)
				}
			}
		}
	}
	for pattern, least := range map[string]int{"README.md": 1, "docs/*.md": 6, "docs/gallery/*.yaml": 2, "test/cgroup2/*.yaml": 1, "charts/hashmark/Chart.yaml": 1} {
		if shown[pattern] < least {
			t.Errorf("found %d experiments in %s, want at least %d", shown[pattern], pattern, least)
		}
	}
}

// fenced is a block of YAML in a page. In a list it is indented.
var fenced = regexp.MustCompile("(?ms)^ *```yaml\n(.*?)^ *```")

// blocks returns what of a file can be an experiment.
func blocks(t *testing.T, file string) (all []string) {
	t.Helper()
	text := read(t, file)
	switch {
	case strings.HasSuffix(file, "/Chart.yaml"):
		chart := struct{ Annotations map[string]string }{}
		if err := yaml.Unmarshal([]byte(text), &chart); err != nil {
			t.Fatal(err)
		}
		var examples []map[string]any
		if err := yaml.Unmarshal([]byte(chart.Annotations["artifacthub.io/crdsExamples"]), &examples); err != nil {
			t.Fatal(err)
		}
		for _, example := range examples {
			written, err := yaml.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(written))
		}
	case strings.HasSuffix(file, ".yaml"):
		all = append(all, text)
	default:
		for _, found := range fenced.FindAllStringSubmatch(text, -1) {
			all = append(all, found[1])
		}
	}
	return all
}

// rest is what every experiment needs.
const rest = `{apiVersion: hashmark.dev/v1beta1, kind: SizingExperiment, metadata: {name: part}, spec: {matrix: {costs: [10], cpuLimits: [1]}, objective: {p95Milliseconds: 1000}}}`

// around has, for the key by which a part of an experiment is known, what the part needs around it besides the rest.
var around = []struct{ key, text string }{
	{"spec", `{PART}`},
	{"matrix", `{spec: {PART}}`},
	{"hashes", `{spec: {matrix: {PART}, service: {memoryLimit: 1Gi}}}`},
	{"login", `{spec: {matrix: {concurrency: [{mode: Unbounded}]}, service: {own: {image: registry.example/team/login, command: [/login], port: 8080, ready: {path: /}, PART}}}}`},
}

// experimentOf returns the experiment that a block is, or is a part of, or nil.
func experimentOf(t *testing.T, file, block string) map[string]any {
	t.Helper()
	part := parsed(t, file, block)
	if kind := part["kind"]; kind != nil {
		if kind != "SizingExperiment" {
			return nil
		}
		return part
	}
	for _, one := range around {
		if part[one.key] == nil {
			continue
		}
		written, err := utiljson.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		fields := string(written[1 : len(written)-1])
		return merged(parsed(t, file, rest), parsed(t, file, strings.Replace(one.text, "PART", fields, 1)))
	}
	return nil
}

// parsed reads an object with the types that the API server has for JSON. A block that is a list is none.
func parsed(t *testing.T, file, text string) (object map[string]any) {
	t.Helper()
	written, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v in\n%s", file, err, text)
	}
	if !bytes.HasPrefix(written, []byte("{")) {
		return nil
	}
	if err := utiljson.Unmarshal(written, &object); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return object
}

// merged returns an object with the fields of another one.
func merged(object, other map[string]any) map[string]any {
	both := maps.Clone(object)
	for key, value := range other {
		inner, isObject := value.(map[string]any)
		if before, was := both[key].(map[string]any); isObject && was {
			value = merged(before, inner)
		}
		both[key] = value
	}
	return both
}
