//go:build k6

package loadtests_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/loadtests"
)

// TestSchedulesInJavaScript runs schedule.js in k6 and compares its due times with the same
// golden. It allows a difference of a microsecond, because the two languages can round a
// logarithm differently on some machines.
func TestSchedulesInJavaScript(t *testing.T) {
	k6 := os.Getenv("HASHMARK_K6")
	if k6 == "" {
		t.Fatal("HASHMARK_K6 is not set: run `make test-unit`, which compiles k6 first, or set it to a k6 program")
	}
	command := exec.CommandContext(t.Context(), k6, loadtests.Arguments("testdata/due.js")...)
	command.Env = loadtests.Environ()
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("k6: %v\n%s", err, output)
	}
	fromK6 := map[int][]string{}
	for line := range strings.Lines(string(output)) {
		words := strings.SplitN(strings.TrimRight(line, "\n"), " ", 3)
		if len(words) == 3 && words[0] == "due" {
			number, _ := strconv.Atoi(words[1])
			fromK6[number] = strings.FieldsFunc(words[2], func(r rune) bool { return r == ',' })
		}
	}
	for number, want := range goldenSchedules(t) {
		got := fromK6[number]
		if len(got) != len(want.Due) {
			t.Errorf("%s: k6 has %d due times, want %d\n%s", want.Name, len(got), len(want.Due), output)
			continue
		}
		for k, text := range got {
			at, err := strconv.ParseInt(text, 10, 64)
			if err != nil || at < want.Due[k]-1 || at > want.Due[k]+1 {
				t.Errorf("%s: login %d is due at %q µs in JavaScript, at %d in Go", want.Name, k, text, want.Due[k])
			}
		}
	}
}
