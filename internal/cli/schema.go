package cli

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/config/crd"
)

// fieldSchema is what flags need of the schema of a field.
type fieldSchema struct {
	Properties       map[string]*fieldSchema
	Items            *fieldSchema
	Minimum, Maximum int64
	MaxItems         int
	MaxLength        int
	Pattern          string
	Enum             []any
}

// specSchema returns the schema of an experiment's spec.
var specSchema = sync.OnceValue(func() *fieldSchema {
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema fieldSchema }
			}
		}
	}
	if err := yaml.Unmarshal(crd.SizingExperiments, &definition); err != nil {
		panic(err) // it would fail in every test too
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
})

// field returns the schema of a field, such as demand.loginsPerSecond.
func (s *fieldSchema) field(path string) *fieldSchema {
	for name := range strings.SplitSeq(path, ".") {
		s = s.Properties[name]
	}
	return s
}

// accepts reports whether a value is within the limits of the schema.
func (s *fieldSchema) accepts(value any) bool {
	switch v := value.(type) {
	case int64:
		return v >= s.Minimum && v <= s.Maximum
	case string:
		return s.acceptsText(v)
	case intstr.IntOrString:
		return s.acceptsText(v.String())
	case []any:
		return len(v) <= s.MaxItems && s.acceptsEach(v)
	case map[string]any:
		for name, part := range v {
			if !s.Properties[name].accepts(part) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func (s *fieldSchema) acceptsText(text string) bool {
	known, short := len(s.Enum) == 0 || slices.Contains(s.Enum, any(text)), s.MaxLength == 0 || len(text) <= s.MaxLength
	return known && short && regexp.MustCompile(s.Pattern).MatchString(text)
}

// acceptsEach reports whether the items accept each element, and whether none is there twice. An object is known by
// its name.
func (s *fieldSchema) acceptsEach(elements []any) bool {
	seen := map[any]bool{}
	for _, element := range elements {
		key := element
		if object, is := element.(map[string]any); is {
			key = object["name"]
		}
		if seen[key] || !s.Items.accepts(element) {
			return false
		}
		seen[key] = true
	}
	return true
}
