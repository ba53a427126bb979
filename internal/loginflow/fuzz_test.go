package loginflow

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// FuzzExtraction reads values from whatever a service answers. None may panic, and a value that was
// found must be in the response.
func FuzzExtraction(f *testing.F) {
	f.Add(`{"a":{"b":"c"}}`, "a.b")
	f.Add(`<input name="a" value="b&amp;c">`, "a")
	f.Add(`a=1;b=2`, `b=(\d)`)
	f.Add(`[1,2`, "")
	f.Fuzz(func(t *testing.T, body, name string) {
		response := &http.Response{Header: http.Header{"X-Body": {body}}}
		for _, e := range []handover.Extraction{{Header: name}, {Cookie: name}, {FormField: name}, {JSON: name}, {Regexp: name}} {
			value, found := from(e, response, []byte(body))
			if !found && value != "" {
				t.Errorf("%+v found nothing, and returned %q", e, value)
			}
			if found && e.Regexp != "" && !strings.Contains(body, value) {
				t.Errorf("%+v found %q, which is not in %q", e, value, body)
			}
		}
	})
}

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
