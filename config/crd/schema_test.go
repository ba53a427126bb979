package crd_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// schema is one node of a definition's schema, with its path.
type schema struct {
	apiextensionsv1.JSONSchemaProps
	// path has a dot before each field and [] after each list.
	path string
	// named is true for a field, and false for a list's item or a map's value.
	named bool
}

func (s schema) inSpec() bool { return strings.Contains(s.path, ".spec") }

// name is the field's own name.
func (s schema) name() string { return s.path[strings.LastIndex(s.path, ".")+1:] }

// TestEveryFieldOfTheSchema checks every field of both kinds against the rules of this API.
// The compiler can't, because they are in comments and markers.
func TestEveryFieldOfTheSchema(t *testing.T) {
	rules := map[string]func(schema) string{
		"has a description":                                describes,
		"states its default":                               statesDefault,
		"has paragraphs of one line":                       joinsLines,
		"has a bound and a type, if it is a list":          boundsList,
		"has a bound, if it is a map":                      boundsMap,
		"has a bound for its keys, if a user writes a map": boundsKeys,
		"knows all its fields":                             knowsFields,
		"has a bound, if a user writes a string":           boundsString,
		"lets users choose no code and no target":          choosesNothing,
	}
	fields := schemas(t)
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, field := range fields {
				if fault := rule(field); fault != "" {
					t.Errorf("%s %s", field.path, fault)
				}
			}
		})
	}
}

// The operator assumes the same value as the schema if a field is absent, for objects that no API server has completed.
func TestDefaultsInGoAreThoseOfTheSchema(t *testing.T) {
	e := &v1beta1.SizingExperiment{Spec: v1beta1.SizingExperimentSpec{
		Matrix: v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1")}, Demand: &v1beta1.Demand{},
	}}
	planned, err := matrix.Plan(e, 0)
	if err != nil || len(planned) != 1 {
		t.Fatalf("%d trials are planned, error %v; want one, as repetitions has the default 1", len(planned), err)
	}
	question, _ := sizing.QuestionOf(e.Spec, pricing.Tariff{}, nil)
	assumed := map[string]int64{
		"load.warmupSeconds": int64(e.Spec.Load.Warmup().Seconds()), "objective.maxErrorPerMille": v1beta1.DefaultMaxErrorPerMille,
		"attemptsPerTrial": int64(planned[0].Spec.Attempts), "demand.headroomPercent": question.HeadroomPercent,
		"demand.minimumCost": int64(question.MinimumCost), "demand.surviveReplicas": question.Survive,
	}
	found := 0
	for _, field := range schemas(t) {
		_, path, _ := strings.Cut(field.path, "SizingExperiment.spec.")
		value, is := assumed[path]
		if !is {
			continue
		}
		found++
		if written := string(ptr.Deref(field.Default, apiextensionsv1.JSON{}).Raw); written != strconv.FormatInt(value, 10) {
			t.Errorf("%s is assumed to be %d, and its default is %q", path, value, written)
		}
	}
	if found != len(assumed) {
		t.Errorf("%d of %d fields are in the schema", found, len(assumed))
	}
}

func describes(s schema) string {
	if s.named && len(s.Description) < 10 {
		return "has no description; kubectl explain would show nothing"
	}
	return ""
}

// statesDefault requires the default in the description, because kubectl explain does not
// show defaults.
func statesDefault(s schema) string {
	if s.Default == nil || s.Type == "object" {
		return ""
	}
	value := strings.Trim(string(s.Default.Raw), `"`)
	if strings.Contains(s.Description, "default") && strings.Contains(s.Description, value) {
		return ""
	}
	return "does not state its default " + value
}

// brokenLine is a line break inside a paragraph. Paragraphs have an empty line between them, and items of a
// list begin with a dash.
var brokenLine = regexp.MustCompile(`[^\n]\n([^\n-]|-[^ ])`)

// joinsLines requires what hack/api.sh does, because kubectl explain wraps each line by itself.
func joinsLines(s schema) string {
	if broken := brokenLine.FindString(s.Description); broken != "" {
		return fmt.Sprintf("has a line break in a paragraph of its description, at %q; run make generate", broken)
	}
	return ""
}

func boundsList(s schema) string {
	switch {
	case s.Type != "array":
		return ""
	case s.MaxItems == nil:
		return "is a list without maxItems"
	case s.XListType == nil:
		return "is a list without listType"
	}
	return ""
}

func boundsMap(s schema) string {
	if s.AdditionalProperties != nil && s.MaxProperties == nil {
		return "is a map without maxProperties"
	}
	return ""
}

// keysBound is a rule that bounds the length of a map's keys.
var keysBound = regexp.MustCompile(`^self\.all\((\w+), size\((\w+)\) <= \d+\b`)

// boundsKeys requires a rule, because a schema has no maximum for keys.
func boundsKeys(s schema) string {
	if !s.inSpec() || s.AdditionalProperties == nil {
		return ""
	}
	for _, rule := range s.XValidations {
		if names := keysBound.FindStringSubmatch(rule.Rule); names != nil && names[1] == names[2] {
			return ""
		}
	}
	return "is a map without a rule for the size of its keys, such as self.all(k, size(k) <= 128)"
}

// knowsFields requires that the API server removes what the schema does not name.
func knowsFields(s schema) string {
	switch {
	case s.XPreserveUnknownFields != nil, s.XEmbeddedResource:
		return "keeps unknown fields, which have no bound"
	case s.Type == "" && !s.XIntOrString:
		return "has no type"
	}
	return ""
}

// boundsString keeps the cost of the rules bounded, which the API server
// estimates from the longest string that a field takes.
func boundsString(s schema) string {
	if !s.inSpec() || (s.Type != "string" && !s.XIntOrString) || len(s.Enum) > 0 || s.MaxLength != nil {
		return ""
	}
	return "is a string without maxLength"
}

// ofOwnService are the fields of a user's own login service and of its companions that say what runs, and with which Secrets.
// They work only with an image and a policy that the operator's settings admit.
var ofOwnService = regexp.MustCompile(`\.spec\.service\.own\.(companions\[\]\.)?(image|command|args|env|(env|files)\[\]\.(value|content)From\.secretKeyRef)$`)

// choosesNothing forbids fields that would turn the right to create an experiment into the
// right to run anything, to reach anything, or to load any server.
func choosesNothing(s schema) string {
	if !s.named || !s.inSpec() || ofOwnService.MatchString(s.path) {
		return ""
	}
	for _, word := range []string{
		"image", "command", "args", "env", "podtemplate", "serviceaccount", "volume", "secret",
		"nodename", "host", "namespace", "privileged", "securitycontext", "url", "target", "address",
	} {
		if strings.Contains(strings.ToLower(s.name()), word) {
			return fmt.Sprintf("contains %q, which a user must not choose", word)
		}
	}
	return ""
}

// TestASpecHasFewSettings counts the names of what a user can set, without service.own. A name counts once, because it means
// the same wherever it is. Objects hold no value, and tolerations are Kubernetes' own.
func TestASpecHasFewSettings(t *testing.T) {
	const most = 53
	settings := map[string]bool{}
	for _, field := range schemas(t) {
		within := strings.HasPrefix(field.path, "SizingExperiment.spec.") && !strings.HasPrefix(field.path, "SizingExperiment.spec.service.own")
		holdsObjects := field.Type == "object" && field.AdditionalProperties == nil || field.Items != nil && field.Items.Schema.Type == "object"
		switch {
		case !within || !field.named || strings.Contains(field.path, ".tolerations[]"):
		case field.name() == "tolerations" || !holdsObjects:
			settings[field.name()] = true
		}
	}
	if len(settings) > most {
		t.Errorf("a spec has %d settings, and should have at most %d: %v", len(settings), most, slices.Sorted(maps.Keys(settings)))
	}
	t.Logf("a spec has %d settings", len(settings))
}

// TestTheStatusOfAnExperimentFitsIntoAnObject computes the largest status that the definition allows, if all
// texts are ASCII. etcd stores at most 1.5 MiB for an object, which also has a spec and metadata.
func TestTheStatusOfAnExperimentFitsIntoAnObject(t *testing.T) {
	const most = 576 << 10
	for _, field := range schemas(t) {
		if field.path != "SizingExperiment.status" {
			continue
		}
		bytes := largest(t, field)
		if bytes > most {
			t.Errorf("the status can have %d bytes, and should have at most %d", bytes, most)
		}
		t.Logf("the status has at most %d bytes", bytes)
	}
}

// largest returns the length of the longest value in JSON.
func largest(t *testing.T, s schema) int {
	t.Helper()
	switch s.Type {
	case "object":
		bytes, alternative := len("{}"), 0
		for name, properties := range s.Properties {
			length := len(name) + len(`"":,`) + largest(t, schema{properties, s.path + "." + name, true})
			if slices.Contains(alternatives(s), name) {
				alternative = max(alternative, length)
				continue
			}
			bytes += length
		}
		return bytes + alternative
	case "array":
		return len("[]") + int(*s.MaxItems)*(len(",")+largest(t, schema{shorter(s), s.path + "[]", false}))
	case "string":
		return len(`""`) + longest(t, s)
	case "boolean":
		return len("false")
	case "integer":
		if s.Format == "int32" {
			return len("-2147483648")
		}
		return len("-9223372036854775808")
	}
	t.Fatalf("%s is of type %q, whose length is not known", s.path, s.Type)
	return 0
}

// oneOf is a rule that requires exactly one of several fields, and member one of them.
var (
	oneOf  = regexp.MustCompile(`^\[has\(self\.\w+\)(, has\(self\.\w+\))*\]\.filter\(x, x\)\.size\(\) == 1$`)
	member = regexp.MustCompile(`has\(self\.(\w+)\)`)
)

// alternatives returns the fields of an object that exclude each other: exactly one must be set.
func alternatives(s schema) (names []string) {
	for _, rule := range s.XValidations {
		if oneOf.MatchString(rule.Rule) {
			for _, match := range member.FindAllStringSubmatch(rule.Rule, -1) {
				names = append(names, match[1])
			}
		}
	}
	return names
}

// longest returns the length of the longest text.
func longest(t *testing.T, s schema) (letters int) {
	t.Helper()
	switch {
	case len(s.Enum) > 0:
		for _, value := range s.Enum {
			letters = max(letters, len(strings.Trim(string(value.Raw), `"`)))
		}
		return letters
	case s.Format == "date-time":
		return len("2026-11-21T14:08:35Z")
	case s.MaxLength == nil:
		t.Errorf("%s is a string without maxLength", s.path)
		return 0
	}
	return int(*s.MaxLength)
}

// itemBound is the part of a rule that bounds a text in each item of a list, whose type is another
// project's.
var itemBound = regexp.MustCompile(`size\(c\.(\w+)\) <= (\d+)`)

// shorter returns the schema of a list's items, with the bounds that a rule of the list adds.
func shorter(list schema) apiextensionsv1.JSONSchemaProps {
	items := *list.Items.Schema.DeepCopy()
	for _, rule := range list.XValidations {
		for _, bound := range itemBound.FindAllStringSubmatch(rule.Rule, -1) {
			field := items.Properties[bound[1]]
			if most, err := strconv.ParseInt(bound[2], 10, 64); err == nil {
				field.MaxLength = &most
			}
			items.Properties[bound[1]] = field
		}
	}
	return items
}

// schemas lists every node below the roots of both definitions, without the
// metadata that all kinds share.
func schemas(t *testing.T) []schema {
	t.Helper()
	files, err := filepath.Glob("hashmark.dev_*.yaml")
	if err != nil || len(files) != 2 {
		t.Fatalf("found the definitions %v, error %v, want two", files, err)
	}
	var all []schema
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("reading a definition: %v", err)
		}
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &definition); err != nil {
			t.Fatalf("reading %s: %v", file, err)
		}
		for _, version := range definition.Spec.Versions {
			root := schema{JSONSchemaProps: *version.Schema.OpenAPIV3Schema, path: definition.Spec.Names.Kind}
			all = append(all, below(root)...)
		}
	}
	return all
}

// below lists the nodes under one, at any depth.
func below(parent schema) []schema {
	var children []schema
	for name, properties := range parent.Properties {
		if name != "metadata" {
			children = append(children, schema{properties, parent.path + "." + name, true})
		}
	}
	if parent.Items != nil {
		children = append(children, schema{*parent.Items.Schema, parent.path + "[]", false})
	}
	if parent.AdditionalProperties != nil {
		children = append(children, schema{*parent.AdditionalProperties.Schema, parent.path + "[]", false})
	}
	all := children
	for _, child := range children {
		all = append(all, below(child)...)
	}
	return all
}
