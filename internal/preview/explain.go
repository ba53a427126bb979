package preview

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// metaFields are fields of the object that its schema does not have.
var metaFields = []string{"apiVersion", "kind", "metadata"}

// explain adds a sentence for each unknown field and each value of a wrong type in a node, by its path as the API
// server's library writes it. That library decides what is wrong; its messages don't say what to write.
func explain(words map[string]string, path string, node any, s *schema.Structural) {
	if s == nil || node == nil {
		return
	}
	if text := mistyped(node, s); text != "" {
		words[path] = text
		return
	}
	switch node := node.(type) {
	case map[string]any:
		explainFields(words, path, node, s)
	case []any:
		for i, entry := range node {
			explain(words, fmt.Sprintf("%s[%d]", path, i), entry, s.Items)
		}
	}
}

func explainFields(words map[string]string, path string, fields map[string]any, s *schema.Structural) {
	for name, value := range fields {
		at := strings.TrimPrefix(path+"."+name, ".")
		switch known, is := s.Properties[name]; {
		case path == "" && slices.Contains(metaFields, name):
		case is:
			explain(words, at, value, &known)
		case s.AdditionalProperties != nil:
			explain(words, at, value, s.AdditionalProperties.Structural)
		default:
			words[at] = misspelt(path, name, s)
		}
	}
}

// misspelt says which field was probably meant by an unknown one: one beside it with a similar name, or one elsewhere
// with the same name.
func misspelt(path, name string, s *schema.Structural) string {
	const most = 2 // letters that differ
	names := slices.Sorted(maps.Keys(s.Properties))
	if len(names) > 0 {
		distance := func(known string) int {
			return levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(known))
		}
		nearest := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
		if distance(nearest) <= min(most, len(name)/2) {
			return "it is unknown; did you mean " + nearest + "?"
		}
	}
	if elsewhere := paths("", name, experiments().schema); len(elsewhere) > 0 {
		return "it is unknown here; did you mean " + elsewhere[0] + "?"
	}
	if len(names) == 0 {
		return "it is unknown; remove it"
	}
	return fmt.Sprintf("it is unknown; %s has the fields %s", cmp.Or(path, "an experiment"), strings.Join(names, ", "))
}

// paths returns the paths of all fields of a name, the shortest first.
func paths(path, name string, s *schema.Structural) []string {
	if s == nil {
		return nil
	}
	var found []string
	for field, part := range s.Properties {
		at := strings.TrimPrefix(path+"."+field, ".")
		if field == name {
			found = append(found, at)
		}
		found = append(found, paths(at, name, &part)...)
	}
	found = append(found, paths(path+"[]", name, s.Items)...)
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return found
}

// mistyped says what to write instead of a value of a wrong type. It returns "" if the type is right.
func mistyped(node any, s *schema.Structural) string {
	wanted := s.Type
	if s.XIntOrString {
		wanted = "integer or string"
	}
	if say := corrections[wanted]; say != nil {
		return say(node, s)
	}
	return ""
}

// corrections are by the type that a field has.
var corrections = map[string]func(any, *schema.Structural) string{
	"string":            wantsText,
	"integer or string": wantsTextOrWhole,
	"integer":           wantsWhole,
	"boolean":           wantsBoolean,
	"array":             wantsList,
	"object":            wantsMap,
}

func wantsText(node any, _ *schema.Structural) string {
	switch node := node.(type) {
	case string:
		return ""
	case int64, float64, bool:
		return fmt.Sprintf("%s must be text; write it in quotes: %q", scalar(node), scalar(node))
	default:
		return "it must be one text, and not a list or a map"
	}
}

func wantsTextOrWhole(node any, s *schema.Structural) string {
	if _, whole := node.(int64); whole {
		return ""
	}
	return wantsText(node, s)
}

func wantsWhole(node any, _ *schema.Structural) string {
	switch node := node.(type) {
	case int64:
		return ""
	case float64:
		if node == math.Trunc(node) {
			return "" // the API server takes 10.0 for 10
		}
		return fmt.Sprintf("it must be a whole number; write %d instead of %s", int64(math.Ceil(node)), scalar(node))
	case string:
		if _, err := strconv.ParseInt(node, 10, 64); err == nil {
			return fmt.Sprintf("it must be a number; write %s without quotes", node)
		}
	}
	return "it must be a whole number, such as 10"
}

func wantsBoolean(node any, _ *schema.Structural) string {
	if _, is := node.(bool); is {
		return ""
	}
	return "it must be true or false, without quotes"
}

func wantsList(node any, s *schema.Structural) string {
	switch node := node.(type) {
	case []any:
		return ""
	case map[string]any:
		if name, value, of := entry(node); of && hasFields(s.Items, "name", "value") {
			return fmt.Sprintf(`it must be a list; write each entry as - {name: %s, value: %s}`, name, value)
		}
		return `it must be a list; begin each entry with "- "`
	case string:
		return fmt.Sprintf("it must be a list; write it in brackets: [%q]", node)
	default:
		return fmt.Sprintf("it must be a list; write it in brackets: [%s]", scalar(node))
	}
}

func wantsMap(node any, s *schema.Structural) string {
	list, isList := node.([]any)
	switch _, isMap := node.(map[string]any); {
	case isMap:
		return ""
	case isList && s.AdditionalProperties != nil && len(list) > 0:
		first, _ := list[0].(map[string]any)
		if name, has := first["name"].(string); has {
			return fmt.Sprintf(`it must be a map, and not a list; write each entry as NAME: VALUE, such as %s: %s`, name, quoted(first["value"]))
		}
	case s.AdditionalProperties == nil && len(s.Properties) > 0:
		return "it must be a map with the fields " + strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
	}
	return "it must be a map; write each entry as NAME: VALUE"
}

// entry returns the first entry of a map of scalars.
func entry(fields map[string]any) (name, value string, found bool) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch fields[name].(type) {
		case string, int64, float64, bool:
			return name, quoted(fields[name]), true
		}
	}
	return "", "", false
}

func hasFields(s *schema.Structural, names ...string) bool {
	return s != nil && !slices.ContainsFunc(names, func(name string) bool { _, has := s.Properties[name]; return !has })
}

// quoted returns a value of a text field as YAML.
func quoted(value any) string {
	if value == nil {
		return `""`
	}
	return strconv.Quote(scalar(value))
}

// scalar returns a value as people write it in YAML: 0.04 and not 4e-02.
func scalar(value any) string {
	if number, is := value.(float64); is {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
