// Package specs makes experiments that are probably invalid: it takes valid ones, and changes
// one to three of their fields to values at and beyond the bounds of the CRD's schema. The same
// seed and number give the same experiment.
//
// It doesn't say whether an experiment is valid. A test asks the API server.
package specs

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// mostChanges is the largest number of changes to an experiment.
const mostChanges = 3

// Source makes specs. Create one with New.
type Source struct {
	seed   uint64
	fields []field
	bases  []map[string]any
}

// field is a field of an experiment, with the values that are tried in it.
type field struct {
	path   []string
	values []any
}

// Spec is a changed experiment.
type Spec struct {
	// Object is the experiment, without a namespace.
	Object map[string]any
	// Changes are the changes to it, in their order.
	Changes []Change
}

// Change is a change of one field.
type Change struct {
	// Path of the field, such as spec.matrix.costs[].
	Path string
	// Value is the new value as JSON, shortened; "absent" if the field was removed.
	Value string
}

// New returns a source of changes to these experiments, by the schema of their definition. All
// are YAML. The order of the values in each field depends on the seed.
func New(seed uint64, definition []byte, experiments ...[]byte) (*Source, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(definition, crd); err != nil {
		return nil, fmt.Errorf("reading the definition: %w", err)
	}
	s := &Source{seed: seed}
	for _, text := range experiments {
		var base map[string]any
		if err := yaml.Unmarshal(text, &base); err != nil {
			return nil, fmt.Errorf("reading an experiment: %w", err)
		}
		s.bases = append(s.bases, base)
	}
	s.fields = []field{{path: []string{"metadata", "name"}, values: names()}}
	for _, version := range crd.Spec.Versions {
		s.add([]string{"spec"}, version.Schema.OpenAPIV3Schema.Properties["spec"])
	}
	order := rand.New(rand.NewPCG(seed, 0))
	for _, f := range s.fields {
		order.Shuffle(len(f.values), func(i, j int) { f.values[i], f.values[j] = f.values[j], f.values[i] })
	}
	return s, nil
}

// add adds a field and all below it, in alphabetical order.
func (s *Source) add(path []string, schema apiextensionsv1.JSONSchemaProps) {
	s.fields = append(s.fields, field{path, values(schema)})
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s.add(append(slices.Clone(path), name), schema.Properties[name])
	}
	if schema.Items != nil {
		s.add(append(slices.Clone(path), item), *schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil {
		s.add(append(slices.Clone(path), entry), *schema.AdditionalProperties.Schema)
	}
}

// Base returns the valid experiment that Spec changes.
func (s *Source) Base(number int) map[string]any {
	object, _ := s.base(number)
	return object
}

// base returns a copy of an experiment, and where the random numbers go on.
func (s *Source) base(number int) (map[string]any, *rand.Rand) {
	random := rand.New(rand.NewPCG(s.seed, uint64(number)+1))
	object := runtime.DeepCopyJSON(s.bases[random.IntN(len(s.bases))])
	object["metadata"] = map[string]any{"name": fmt.Sprint("spec-", number)}
	return object, random
}

// Spec returns a spec. Consecutive numbers change each field in turn, and then each again to
// its next value, so that also a small part of all numbers reaches every field.
func (s *Source) Spec(number int) Spec {
	object, random := s.base(number)
	spec := Spec{Object: object}
	first := s.fields[number%len(s.fields)]
	spec.change(first, number/len(s.fields), random)
	// Half of the specs have a single change, because more are rarely accepted.
	for range random.IntN(2) * (1 + random.IntN(mostChanges-1)) {
		f := s.fields[random.IntN(len(s.fields))]
		spec.change(f, random.IntN(len(f.values)), random)
	}
	return spec
}

func (s *Spec) change(f field, value int, random *rand.Rand) {
	to := f.values[value%len(f.values)]
	changed, _ := put(s.Object, f.path, to, random).(map[string]any)
	s.Object = changed
	s.Changes = append(s.Changes, Change{Path: display(f.path), Value: describe(to)})
}

// String returns the changes, one a line.
func (s Spec) String() string {
	var lines []string
	for _, c := range s.Changes {
		lines = append(lines, c.Path+": "+c.Value)
	}
	return strings.Join(lines, "\n")
}

func display(path []string) string {
	text := strings.Join(path, ".")
	return strings.NewReplacer("."+item, item, "."+entry, item).Replace(text)
}

// describe returns a value as JSON, shortened.
func describe(value any) string {
	const most = 100
	switch value := value.(type) {
	case absence:
		return "absent"
	case repetition:
		return fmt.Sprintf("an entry %d times", int(value))
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	if len(text) > most {
		return fmt.Sprintf("%s… (%d bytes)", text[:most], len(text))
	}
	return string(text)
}
