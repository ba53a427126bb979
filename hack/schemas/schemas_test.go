package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// made runs the command on the small specification and definition of testdata, and returns the
// output folder.
func made(t *testing.T) string {
	t.Helper()
	specification, folder := t.TempDir(), filepath.Join(t.TempDir(), "new")
	text, err := os.ReadFile("testdata/spec.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(specification, "apis__apps__v1_openapi.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{specification, folder}, {specification, folder, "testdata/definition.yaml"}} {
		if err := run(arguments); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestFilesAreNamedAsKubeconformLooksForThem(t *testing.T) {
	files, err := os.ReadDir(made(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
	}
	// DeleteOptions belongs to several kinds, and is never a manifest.
	if diff := cmp.Diff([]string{"boat-sea-v1.json", "server-apps-v1.json"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if core := (groupVersionKind{Version: "v1", Kind: "ConfigMap"}); core.file() != "configmap-v1.json" || core.apiVersion() != "v1" {
		t.Errorf("the core group's ConfigMap became %s of %s", core.file(), core.apiVersion())
	}
}

func TestWhatSchemasRefuse(t *testing.T) {
	const server, boat = "{apiVersion: apps.k8s.io/v1, kind: Server, ", "{apiVersion: sea.example.com/v1, kind: Boat, "
	tests := map[string]struct {
		manifest string
		refused  string
	}{
		"a field of Kubernetes is taken":                    {server + "metadata: {name: a, labels: {b: c}}}", ""},
		"a wrong field is refused":                          {server + "metdata: {}}", "'metdata' not allowed"},
		"a wrong field of a type that is referred to":       {server + "metadata: {lables: {}}}", "'lables' not allowed"},
		"a label that is a number":                          {server + "metadata: {labels: {b: 1}}}", "got number, want string"},
		"a null instead of a block":                         {server + "metadata: }", "got null, want object"},
		"another group of the same first word":              {"{apiVersion: apps.example.com/v1, kind: Server}", "/apiVersion"},
		"another kind of the same letters":                  {"{apiVersion: apps.k8s.io/v1, kind: server}", "/kind"},
		"quantities are strings and numbers":                {server + "limits: {cpu: 500m, memory: 1.5Gi, pods: 3, disk: 1e3}}", ""},
		"a quantity with an unknown unit":                   {server + "limits: {memory: 64MB}}", "does not match pattern"},
		"a port is a number":                                {server + "port: 80}", ""},
		"a port is a name":                                  {server + "port: http}", ""},
		"a port is not a fraction":                          {server + "port: 80.5}", "/port"},
		"a time is one of RFC 3339":                         {server + `since: "2026-02-30T00:00:00Z"}`, "/since"},
		"an object without fields listed takes any":         {server + "raw: {any: thing}}", ""},
		"a type that refers to itself is followed":          {server + "tree: {name: a, children: [{name: b, children: [{name: c}]}]}}", ""},
		"and so is a type that only another one refers to":  {server + "tree: {name: a, leaf: {color: red}}}", "'color' not allowed"},
		"and refused at depth":                              {server + "tree: {name: a, children: [{children: []}]}}", "missing property 'name'"},
		"a field of a definition is taken":                  {boat + "metadata: {name: a}, spec: {sail: Lug, crew: 1}}", ""},
		"a wrong field of a definition":                     {boat + "spec: {sails: Lug}}", "'sails' not allowed"},
		"metadata of a definition are those of Kubernetes":  {boat + "metadata: {lables: {}}, spec: {}}", "'lables' not allowed"},
		"a field that a definition requires":                {boat + "metadata: {name: a}}", "missing property 'spec'"},
		"a value that is not listed":                        {boat + "spec: {sail: Jib}}", "/spec/sail"},
		"a bound that is itself outside":                    {boat + "spec: {crew: 0}}", "/spec/crew"},
		"a null in a nullable field":                        {boat + "spec: {owner: }}", ""},
		"a number instead of null or a string":              {boat + "spec: {owner: 1}}", "/spec/owner"},
		"a number or a string of a definition, as a string": {boat + "spec: {draught: 10%}}", ""},
		"a number or a string of a definition, as a list":   {boat + "spec: {draught: []}}", "/spec/draught"},
		"preserved fields in addition to those listed":      {boat + "spec: {cargo: {weight: 1, any: thing}}}", ""},
		"a value that its pattern does not match":           {boat + "spec: {port: Emden}}", "/spec/port"},
		"a whole object inside another":                     {boat + "spec: {tender: {kind: Boat, spec: {}}}}", ""},
		"one of several conditions":                         {boat + "spec: {mooring: {buoy: a}}}", ""},
		"a condition that lists one field of two":           {boat + "spec: {mooring: {quay: ab}}}", ""},
		"none of several conditions":                        {boat + "spec: {mooring: {quay: a}}}", "/spec/mooring"},
	}
	folder := made(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			message := validate(t, folder, test.manifest)
			if (message == "") != (test.refused == "") || !strings.Contains(message, test.refused) {
				t.Errorf("%s: the error is %q, want %q in it", test.manifest, message, test.refused)
			}
		})
	}
}

// validate checks a manifest against the file of its kind, with kubeconform's library, and
// returns the error.
func validate(t *testing.T, folder, manifest string) string {
	t.Helper()
	file := "server-apps-v1.json"
	if strings.Contains(manifest, "Boat, ") {
		file = "boat-sea-v1.json"
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	compiled, err := compiler.Compile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		return err.Error()
	}
	return ""
}

func TestFilesHoldWhatTheyReferToAndNoMore(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(made(t), "boat-sea-v1.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Definitions map[string]any }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Definitions) != 1 || file.Definitions[objectMeta] == nil {
		t.Errorf("the file defines %v, want %s alone", file.Definitions, objectMeta)
	}
	if bytes.Contains(text, []byte("x-kubernetes")) {
		t.Errorf("keywords without effect are left: %s", text)
	}
}

func TestWhatCannotBeMadeIsSaid(t *testing.T) {
	empty := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "definition.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	specification := t.TempDir()
	if err := os.CopyFS(specification, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(specification, "spec.json"), filepath.Join(specification, "api__v1_openapi.json")); err != nil {
		t.Fatal(err)
	}
	const withoutSchema = "{kind: CustomResourceDefinition, spec: {versions: [{name: v1}]}}"
	tests := map[string]struct {
		arguments []string
		want      string
	}{
		"no arguments":              {nil, "usage: schemas SPEC FOLDER"},
		"an empty folder":           {[]string{empty, empty}, "is not an OpenAPI specification"},
		"a file that is not there":  {[]string{specification, empty, filepath.Join(empty, "no.yaml")}, "no.yaml"},
		"an object of another kind": {[]string{specification, empty, write("kind: Service")}, "not a CustomResourceDefinition"},
		"a version without schema":  {[]string{specification, empty, write(withoutSchema)}, "version v1 has no properties"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := run(test.arguments)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("run(%v) = %v, want %q in it", test.arguments, err, test.want)
			}
		})
	}
}
