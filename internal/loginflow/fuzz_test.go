package loginflow

import (
	"strings"
	"testing"
)

// FuzzExpand replaces references. What they stand for is not read again, and a text without a dollar
// stays as it is.
func FuzzExpand(f *testing.F) {
	f.Add("$(A)", "$(A)")
	f.Add("$$(A) $(B) $", "x")
	f.Fuzz(func(t *testing.T, text, value string) {
		got := Expand(text, map[string]string{"A": value})
		if !strings.Contains(text, "$") && got != text {
			t.Errorf("%q became %q", text, got)
		}
		if escaped := strings.ReplaceAll(text, "$", "$$"); Expand(escaped, map[string]string{"A": value}) != text {
			t.Errorf("%q is not kept by escaping", text)
		}
	})
}
