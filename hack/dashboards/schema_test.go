package dashboards

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas returns Grafana's own types, which hack/dashboards/schema.sh wrote, of the oldest
// and the newest release that the dashboards support.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	files, err := filepath.Glob("testdata/schema/*.json")
	if err != nil || len(files) != 2 {
		t.Fatalf("testdata/schema holds %d schemas (%v), want 2", len(files), err)
	}
	all := map[string]*jsonschema.Schema{}
	for _, file := range files {
		schema, err := jsonschema.NewCompiler().Compile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = schema
	}
	return all
}

func TestGrafanaKnowsEveryWordOfTheDashboards(t *testing.T) {
	for release, schema := range schemas(t) {
		for name, d := range All() {
			t.Run(release+" "+name, func(t *testing.T) {
				if err := held(t, schema, written(t, d)); err != nil {
					t.Errorf("%+v", err)
				}
			})
		}
	}
}

// A schema that accepts everything would be useless.
func TestGrafanasSchemaRefuses(t *testing.T) {
	wrong := map[string][2]string{
		"an option that no panel has":       {`"showUnfilled"`, `"showUnfiled"`},
		"a kind of panel that there is not": {`"type": "bargauge"`, `"type": "bargouge"`},
		"a value that an option can't have": {`"placement": "bottom"`, `"placement": "below"`},
		"a style that lines don't have":     {`"spanNulls"`, `"spanNull"`},
		"text where a number belongs":       {`"schemaVersion": 39`, `"schemaVersion": "39"`},
		"a colour scheme that is unknown":   {`"mode": "thresholds"`, `"mode": "threshold"`},
	}
	for release, schema := range schemas(t) {
		for name, words := range wrong {
			t.Run(release+" "+name, func(t *testing.T) {
				right := written(t, overview())
				broken := bytes.Replace(right, []byte(words[0]), []byte(words[1]), 1)
				if bytes.Equal(right, broken) {
					t.Fatalf("the dashboard has no %s", words[0])
				}
				if held(t, schema, broken) == nil {
					t.Error("it was taken")
				}
			})
		}
	}
}

func held(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func written(t *testing.T, d Dashboard) []byte {
	t.Helper()
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
