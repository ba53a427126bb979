package chart_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const source = "../../charts/hashmark/"

// schema is the part of a JSON schema that defines its keys.
type schema struct {
	Description string            `json:"description"`
	Ref         string            `json:"$ref"`
	Properties  map[string]schema `json:"properties"`
	Definitions map[string]schema `json:"definitions"`
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(source + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// keys returns the paths of the values. An empty value in values.yaml ends a path: it can hold
// a user's own text or a part of a pod.
func keys(values map[string]any, prefix string) []string {
	var found []string
	for key, value := range values {
		found = append(found, prefix+key)
		if nested, ok := value.(map[string]any); ok {
			found = append(found, keys(nested, prefix+key+".")...)
		}
	}
	return found
}

// named returns the paths of the schema's keys, down to where the values have keys.
func (s schema) named(root schema, values map[string]any, prefix string) []string {
	var found []string
	for key, property := range s.resolved(root).Properties {
		found = append(found, prefix+key)
		if nested, ok := values[key].(map[string]any); ok && len(nested) > 0 {
			found = append(found, property.named(root, nested, prefix+key+".")...)
		}
	}
	return found
}

func (s schema) resolved(root schema) schema {
	if name, found := strings.CutPrefix(s.Ref, "#/definitions/"); found {
		return root.Definitions[name]
	}
	return s
}

func TestTheSchemaKnowsEachValueAndNoOther(t *testing.T) {
	var values map[string]any
	var root schema
	read(t, "values.yaml", &values)
	read(t, "values.schema.json", &root)
	known, named := keys(values, ""), root.named(root, values, "")
	if len(known) < 80 {
		t.Fatalf("found %d values, want at least 80: the test reads the wrong file", len(known))
	}
	// Keys that are free or defined by Kubernetes.
	open := []string{
		"operator.resources.requests.", "operator.resources.limits.", "smokeTest.resources.requests.", "smokeTest.resources.limits.", "dashboards.labels.",
		"operator.podSecurityContext.", "operator.securityContext.",
	}
	for _, key := range known {
		isOpen := slices.ContainsFunc(open, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		if !isOpen && !slices.Contains(named, key) {
			t.Errorf("values.schema.json lacks %s of values.yaml", key)
		}
	}
	for _, key := range named {
		// Helm adds global to the values of every subchart, and a parent chart enabled.
		if key != "global" && key != "enabled" && !slices.Contains(known, key) {
			t.Errorf("values.yaml lacks %s of values.schema.json", key)
		}
	}
}

func TestEachPropertyOfTheSchemaIsDescribed(t *testing.T) {
	var root schema
	read(t, "values.schema.json", &root)
	var check func(s schema, path string)
	check = func(s schema, path string) {
		for key, property := range s.Properties {
			if property.Description == "" {
				t.Errorf("%s%s has no description", path, key)
			}
			check(property, path+key+".")
		}
	}
	check(root, "")
	for name, definition := range root.Definitions {
		check(definition, name+": ")
	}
}

func TestEachValueIsDescribedInTheReadme(t *testing.T) {
	content, err := os.ReadFile(source + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(content)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) < 4 || strings.HasPrefix(line, "| Key") {
			continue
		}
		rows++
		if strings.Trim(cells[3], " |") == "" {
			t.Errorf("values.yaml has no comment that starts with two dashes at %s", strings.Trim(cells[0], " |"))
		}
	}
	if rows < 70 {
		t.Fatalf("found %d rows, want at least 70: the test reads the wrong file", rows)
	}
}
