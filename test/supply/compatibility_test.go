package supply_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// definitions are the CRDs of this tree. The test edits copies, which stand for those of a later version.
const definitions = "../../config/crd"

func TestIncompatibleDefinitionsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(spec map[string]any) // of the schema of an experiment's spec
		says string                    // what is incompatible, or empty if nothing is
	}{
		"nothing changes": {edit: func(map[string]any) {}},
		"a field is added": {edit: func(spec map[string]any) {
			properties(spec)["pace"] = map[string]any{"type": "string"}
		}},
		"a description is edited": {edit: func(spec map[string]any) {
			properties(spec)["suspend"].(map[string]any)["description"] = "Anew."
		}},
		"a field is removed": {says: "removed the request property `spec/suspend`", edit: func(spec map[string]any) {
			delete(properties(spec), "suspend")
		}},
		"a field becomes required": {says: "became required", edit: func(spec map[string]any) {
			spec["required"] = append(spec["required"].([]any), "suspend")
		}},
		"a field gets another type": {says: "changed from `boolean` to `string`", edit: func(spec map[string]any) {
			properties(spec)["suspend"].(map[string]any)["type"] = "string"
		}},
		"a field gets another default": {says: "default value changed from `false` to `true`", edit: func(spec map[string]any) {
			properties(spec)["suspend"].(map[string]any)["default"] = true
		}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(definitions)); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(folder, "hashmark.dev_sizingexperiments.yaml"), test.edit)
			failed, said := compare(t, folder)
			if failed != (test.says != "") || !strings.Contains(said, test.says) {
				t.Errorf("failed: %v, want %v; and %q in:\n%s", failed, test.says != "", test.says, said)
			}
		})
	}
}

func TestADefinitionThatIsGoneIsIncompatible(t *testing.T) {
	failed, said := compare(t, t.TempDir())
	if !failed || !strings.Contains(said, "has no hashmark.dev_sizingexperiments.yaml") {
		t.Errorf("failed: %v, want true; and the file in:\n%s", failed, said)
	}
}

// compare runs the script on the definitions of this tree and those of a folder, and returns what it wrote.
func compare(t *testing.T, folder string) (failed bool, said string) {
	t.Helper()
	old, err := filepath.Abs(definitions)
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), "../../hack/compatibility.sh", old, folder).CombinedOutput()
	return err != nil, string(output)
}

func properties(schema map[string]any) map[string]any {
	return schema["properties"].(map[string]any)
}

// edit changes the schema of a definition's spec.
func edit(t *testing.T, file string, change func(map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var definition map[string]any
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	version := definition["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	schema := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	change(properties(schema)["spec"].(map[string]any))
	if text, err = yaml.Marshal(definition); err != nil {
		t.Fatal(err)
	}
	write(t, file, string(text))
}
