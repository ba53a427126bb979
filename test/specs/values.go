package specs

import (
	"encoding/json"
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// huge is the length of a text, and the number of entries of a list, far above all bounds.
const huge, many = 10_000, 1000

// values returns the values that are tried in a field. They have only the types of JSON in Go:
// no int32.
func values(s apiextensionsv1.JSONSchemaProps) []any {
	all := []any{absence{}, nil}
	switch {
	case s.XIntOrString:
		all = append(all, numbers(s)...)
		all = append(all, texts(s)...)
	case s.Type == "integer":
		all = append(all, numbers(s)...)
	case s.Type == "string":
		all = append(all, texts(s)...)
	case s.Type == "array":
		all = append(all, lists(s)...)
	case s.Type == "object":
		all = append(all, objects(s)...)
	case s.Type == "boolean":
		all = append(all, true, false)
	}
	return append(all, mistyped(s)...)
}

// mistyped returns a value of each type, most of which are not the field's.
func mistyped(s apiextensionsv1.JSONSchemaProps) []any {
	all := []any{true, int64(1), 0.5, "1", []any{}, []any{nil}}
	if s.Type != "object" {
		all = append(all, map[string]any{})
	}
	return all
}

func numbers(s apiextensionsv1.JSONSchemaProps) []any {
	all := []any{
		int64(0), int64(-1), int64(2), int64(3), int64(5), int64(9), int64(11), int64(17), int64(65), int64(1000),
		int64(math.MaxInt32), int64(math.MaxInt32 + 1), int64(math.MinInt32), int64(math.MaxInt64), int64(math.MinInt64), 1e19, 1e308, -0.5,
	}
	for _, bound := range []*float64{s.Minimum, s.Maximum} {
		if bound != nil {
			all = append(all, int64(*bound)-1, int64(*bound), int64(*bound)+1)
		}
	}
	return all
}

// texts returns quantities, decimals, names, and texts of other kinds.
func texts(s apiextensionsv1.JSONSchemaProps) []any {
	all := words(
		"", " ", "0", "1", "2", "-1", "+1", " 1", "1 ", "01", "1.", ".5", "1e309", "1E3", "1e-3", "0.0000001n", "9m", "10m", "10.5m",
		"64", "64.001", "250m", "64000m", "1k", "1Ki", "1Ei", "96Mi", "4Gi", "128Mi", "999999999999999", "9223372036854775807", "0x10", "NaN", "inf",
		"٣", "１", "½", "1\u00a0", "\u202e1", "é", "🔥", "a\nb", "a\tb", "\u0000", "\u0007", "\x1b[31m", "<script>", "a'b\"c", "a,b", "$(id)", "{{.}}",
		"../..", "a/b", "a.b", "-a", "a-", "A", "null", "true", "c10", "c10-1", "c8-250m", "again", "example.com/a", strings.Repeat("a", huge), strings.Repeat("é", huge),
	)
	if s.MaxLength != nil {
		longest := int(*s.MaxLength)
		all = append(all, words(strings.Repeat("a", longest), strings.Repeat("a", longest+1), strings.Repeat("é", longest), strings.Repeat("9", longest))...)
	}
	for _, choice := range s.Enum {
		var word string
		if json.Unmarshal(choice.Raw, &word) == nil {
			all = append(all, word, strings.ToLower(word))
		}
	}
	return all
}

func lists(s apiextensionsv1.JSONSchemaProps) []any {
	all := []any{[]any{}, []any{map[string]any{}}, []any{"1", "2"}, []any{int64(8), int64(9)}, []any{int64(10), "1"}, repetition(1), repetition(2), repetition(many)}
	if s.MaxItems != nil {
		all = append(all, repetition(*s.MaxItems), repetition(*s.MaxItems+1))
	}
	return all
}

// objects returns maps of texts as well, which are objects for the schema.
func objects(s apiextensionsv1.JSONSchemaProps) []any {
	all := []any{map[string]any{}, map[string]any{"unknown": "field"}}
	if s.AdditionalProperties == nil {
		return all
	}
	for _, key := range []string{"", "a", "a/b", "a/b/c", "é", "a b", "\u0000", "kubernetes.io/hostname", strings.Repeat("a", 64), strings.Repeat("a", huge)} {
		all = append(all, map[string]any{key: "a"})
	}
	crowded := map[string]any{}
	for range 1 + *s.MaxProperties {
		crowded["a"+strings.Repeat("b", len(crowded))] = "a"
	}
	return append(all, crowded)
}

// names are names of an experiment, of which some are valid.
func names() []any {
	all := words("", "a", "A", "a.b", "a.b-c", "0", "1.5", "é", "a b", "-a", "a-", "a/b", "..", "\u0000", "a\nb", strings.Repeat("a", huge), strings.Repeat("a.", 25)+"a")
	for _, length := range []int{51, 52, 53, 63, 64, 253, 254} {
		all = append(all, strings.Repeat("a", length))
	}
	return append(all, absence{}, nil)
}

func words(texts ...string) []any {
	var all []any
	for _, text := range texts {
		all = append(all, text)
	}
	return all
}
