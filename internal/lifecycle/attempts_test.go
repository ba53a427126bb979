package lifecycle

import (
	"strings"
	"testing"
)

func TestALongMessageKeepsItsBeginningAndItsEnd(t *testing.T) {
	const mostInAPI = 1024
	long := "The load failed: " + strings.Repeat("é", 4000) + " the last words"
	got := Clip(long)
	if n := len([]rune(got)); n > mostInAPI {
		t.Errorf("%d characters are left, of at most %d", n, mostInAPI)
	}
	if !strings.HasPrefix(got, "The load failed: ") || !strings.HasSuffix(got, " the last words") {
		t.Errorf("the beginning or the end is lost: %s", got)
	}
	if short := "The Job was deleted"; Clip(short) != short {
		t.Errorf("a short message became %q", Clip(short))
	}
}
