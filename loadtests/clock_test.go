package loadtests_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/loadtests"
)

// Date.now() counts whole milliseconds: the latency of a login of three milliseconds would
// be off by a third.
func TestNoScriptReadsAClockOfMilliseconds(t *testing.T) {
	err := fs.WalkDir(loadtests.Scripts, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".js") {
			return err
		}
		text, err := fs.ReadFile(loadtests.Scripts, path)
		if err != nil {
			return err
		}
		for number, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if strings.Contains(code, "Date.now") || strings.Contains(code, "new Date") {
				t.Errorf("%s:%d reads the clock in milliseconds: %s", path, number+1, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
