package verdict_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/verdict"
)

var update = flag.Bool("update", false, "write docs/verdicts.md again")

// The table in the documentation is the one in the code.
func TestTheDocumentedReasonsAreThoseOfTheCode(t *testing.T) {
	const page, begin, end = "../../docs/verdicts.md", "<!-- generated: verdicts -->\n\n", "\n<!-- end -->"
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(content), begin)
	documented, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	want := verdict.AllReasons.Markdown()
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("run this test with -update (-code +docs):\n%s", diff)
	}
}

// Each verdict reason of the API is described, and nothing else is.
func TestEveryReasonIsDescribed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../api/v1alpha1/reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared, described []string
	ast.Inspect(file, func(n ast.Node) bool {
		if value, ok := n.(*ast.ValueSpec); ok {
			if reason, is := strings.CutPrefix(value.Names[0].Name, "Reason"); is {
				declared = append(declared, reason)
			}
		}
		return true
	})
	for _, row := range verdict.AllReasons {
		described = append(described, row.Reason)
	}
	slices.Sort(declared)
	slices.Sort(described)
	described = slices.Compact(described)
	if diff := cmp.Diff(declared, described); diff != "" {
		t.Errorf("(-api +described):\n%s", diff)
	}
}
