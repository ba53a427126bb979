package html

import "testing"

func TestSplitCell(t *testing.T) {
	for cell, want := range map[string][2]string{
		"29.6/s (28.3–31/s)": {"29.6/s", "28.3–31/s"},
		"a (b) c (d)":        {"a (b) c", "d"},
		"a (b) c":            {"a (b) c"},
		"(b)":                {"(b)"},
		"no":                 {"no"},
		"":                   {},
	} {
		if got := split(cell); got != want {
			t.Errorf("%q is split into %q, want %q", cell, got, want)
		}
	}
}
