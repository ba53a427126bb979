package docs_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// The generator of docs/api.md stops at a depth of nested types that it does not tell.
func TestTheReferenceHasEveryField(t *testing.T) {
	text, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for section := range strings.SplitSeq(string(text), "\n## ") {
		name, body, _ := strings.Cut(section, "\n")
		sections[name] = body
	}
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type)
	check = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			check(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] || !strings.Contains(of.PkgPath(), "/hashmark/api/") {
			return
		}
		seen[of] = true
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name != "" && !strings.Contains(sections[of.Name()], "| `"+name+"` |") {
				t.Errorf("%s of %s is not in docs/api.md", name, of.Name())
			}
			check(field.Type)
		}
	}
	check(reflect.TypeFor[v1beta1.SizingExperiment]())
	check(reflect.TypeFor[v1beta1.SizingTrial]())
	if len(seen) < 80 {
		t.Errorf("only %d types were checked", len(seen))
	}
}
