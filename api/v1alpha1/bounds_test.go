package v1alpha1_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// TestBoundsOfTheSpecs keeps every bound, default and choice of the specs in one golden
// file, so that a reviewer sees every change. It does not test that the API server
// enforces them.
func TestBoundsOfTheSpecs(t *testing.T) {
	var lines []string
	for _, field := range schemas(t) {
		if field.inSpec() {
			lines = append(lines, field.path+": "+strings.Join(field.bounds(), ", ")+"\n")
		}
	}
	sort.Strings(lines)
	got := strings.Join(lines, "")
	golden := filepath.Join("testdata", "bounds.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("reading the bounds as they were (write them with -update): %v", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the bounds (-want +got):\n%s", diff)
	}
}

// bounds describes the values that the field can hold.
func (s schema) bounds() []string {
	texts := []string{s.Type}
	if s.XIntOrString {
		texts = []string{"integer or string"}
	}
	add := func(format string, arguments ...any) { texts = append(texts, fmt.Sprintf(format, arguments...)) }
	if s.Minimum != nil {
		add("at least %.0f", *s.Minimum)
	}
	if s.Maximum != nil {
		add("at most %.0f", *s.Maximum)
	}
	for _, length := range []struct {
		limit *int64
		unit  string
	}{{s.MaxLength, "characters"}, {s.MaxItems, "items"}, {s.MaxProperties, "entries"}} {
		if length.limit != nil {
			add("at most %d %s", *length.limit, length.unit)
		}
	}
	if s.Pattern != "" {
		add("like %s", s.Pattern)
	}
	if len(s.Enum) > 0 {
		add("one of %s", s.choices())
	}
	if s.Default != nil {
		add("by default %s", s.Default.Raw)
	}
	if len(s.Required) > 0 {
		add("needs %s", strings.Join(s.Required, " and "))
	}
	if rules := len(s.XValidations); rules > 0 {
		add("rules: %d", rules)
	}
	return texts
}

// choices lists the values of the field's enum.
func (s schema) choices() string {
	var words []string
	for _, choice := range s.Enum {
		words = append(words, string(choice.Raw))
	}
	return strings.Join(words, " ")
}
