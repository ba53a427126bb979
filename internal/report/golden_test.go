package report_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/report"
)

var update = flag.Bool("update", false, "write the golden files")

// formats by the ending of their golden files.
var formats = map[string]func(io.Writer, report.Document) error{
	"txt": report.Table, "md": report.Markdown, "csv": report.CSV, "xml": report.JUnit,
}

func TestFormatsMatchGoldenFiles(t *testing.T) {
	for ending, format := range formats {
		t.Run(ending, func(t *testing.T) {
			path := filepath.Join("testdata", "full."+ending)
			got := written(t, format, full(t))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the report is not that of %s; if it should change, run the test with -update (-want +got):\n%s", path, diff)
			}
		})
	}
}

func TestTableFitsTerminal(t *testing.T) {
	const widest = 120
	for line := range strings.Lines(written(t, report.Table, full(t))) {
		if width := len([]rune(strings.TrimSuffix(line, "\n"))); width > widest {
			t.Errorf("a line is %d characters wide, more than %d: %s", width, widest, line)
		}
	}
}

func written(t testing.TB, format func(io.Writer, report.Document) error, document report.Document) string {
	t.Helper()
	var text bytes.Buffer
	if err := format(&text, document); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
