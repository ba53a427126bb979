package evidence

import (
	"strings"
	"testing"
)

// A list that is too large is refused before it is expanded.
func TestAListOfCPUsIsBounded(t *testing.T) {
	for list, want := range map[string]int{
		"":                              0,
		"0-3,8":                         5,
		"0-4095":                        4096,
		"0-4096":                        0,
		"0-9999999999":                  0,
		"0-18446744073709551616":        0,
		"3-1":                           0,
		"all":                           0,
		strings.Repeat("1,", 600) + "1": 0,
	} {
		if got := CPUs(list); got != want {
			t.Errorf("%.20q has %d CPUs, want %d", list, got, want)
		}
	}
	if Overlap("0-9999999999", "1") || !Overlap("0-3", "3,5") {
		t.Error("lists overlap that don't, or the other way round")
	}
}
