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

var update = flag.Bool("update", false, "write the golden files of this package anew")

// TestBoundsOfTheSpecs keeps every bound, default and choice that users meet in
// one file, so that none goes or changes without somebody reading it. That the
// API server enforces them is its own tests' matter.
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

// bounds tells in a few words what the field may hold.
func (s schema) bounds() []string {
	said := []string{s.Type}
	if s.XIntOrString {
		said = []string{"integer or string"}
	}
	say := func(format string, arguments ...any) { said = append(said, fmt.Sprintf(format, arguments...)) }
	if s.Minimum != nil {
		say("at least %.0f", *s.Minimum)
	}
	if s.Maximum != nil {
		say("at most %.0f", *s.Maximum)
	}
	for _, length := range []struct {
		most *int64
		of   string
	}{{s.MaxLength, "characters"}, {s.MaxItems, "items"}, {s.MaxProperties, "entries"}} {
		if length.most != nil {
			say("at most %d %s", *length.most, length.of)
		}
	}
	if s.Pattern != "" {
		say("like %s", s.Pattern)
	}
	if len(s.Enum) > 0 {
		say("one of %s", s.choices())
	}
	if s.Default != nil {
		say("by default %s", s.Default.Raw)
	}
	if len(s.Required) > 0 {
		say("needs %s", strings.Join(s.Required, " and "))
	}
	if rules := len(s.XValidations); rules > 0 {
		say("rules: %d", rules)
	}
	return said
}

// choices lists the words that the field may hold.
func (s schema) choices() string {
	var words []string
	for _, choice := range s.Enum {
		words = append(words, string(choice.Raw))
	}
	return strings.Join(words, " ")
}
