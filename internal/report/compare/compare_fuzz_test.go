package compare_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/compare"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// FuzzCompareAnyTwoReports: whatever two stored reports hold, they are compared or refused, and each
// row is in the comparison at most once.
func FuzzCompareAnyTwoReports(f *testing.F) {
	const small = `{"apiVersion":"hashmark.dev/v1beta1","kind":"SizingReport","experiment":{"status":{"results":[{"variant":"a","verdict":"Valid","p95Microseconds":%}]}},"trials":[{}]}`
	f.Add(fixture.QuickstartYAML, fixture.QuickstartYAML)
	f.Add([]byte(strings.Replace(small, "%", "1", 1)), []byte(strings.Replace(small, "%", "-9223372036854775808", 1)))
	f.Add([]byte(strings.Replace(small, "%", "0", 1)), fixture.QuickstartYAML)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		before, err := report.Read(bytes.NewReader(first))
		if err != nil {
			return
		}
		after, err := report.Read(bytes.NewReader(second))
		if err != nil {
			return
		}
		c := compare.Of(before, after)
		if len(c.Variants)+len(c.OnlyA) > len(before.Rows) || len(c.Variants)+len(c.OnlyB) > len(after.Rows) {
			t.Errorf("%d common variants, %d and %d others, of %d and %d rows", len(c.Variants), len(c.OnlyA), len(c.OnlyB), len(before.Rows), len(after.Rows))
		}
		for _, format := range []func(io.Writer, compare.Comparison) error{compare.Table, compare.Markdown, compare.JSON} {
			var text bytes.Buffer
			if err := format(&text, c); err != nil {
				t.Errorf("the comparison can't be written: %v", err)
			}
			if !utf8.Valid(text.Bytes()) {
				t.Errorf("the comparison is not UTF-8: %q", text.Bytes())
			}
		}
	})
}
