//go:build bench

package bench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

var (
	cut = flag.Bool("cut", false, "measure a part that takes minutes, not the whole")
	// Seen from this folder, where go test runs a package's tests.
	reports = flag.String("reports", "../../dist/bench", "`folder` that each bench writes its table to")
)

// pick is what a bench does as a whole, or in a cut.
func pick[T any](whole, inACut T) T {
	if *cut {
		return inACut
	}
	return whole
}

// begin is the report of a bench, with where and when it ran.
func begin(t *testing.T, name string) *report.Report {
	t.Helper()
	model, err := cgroup.CPUModel(os.DirFS("/"))
	must(t, err)
	kernel, err := exec.CommandContext(t.Context(), "uname", "-sr").Output()
	must(t, err)
	return &report.Report{Name: name, Setting: fmt.Sprintf("%s, %s, %s, %s, %s.", time.Now().UTC().Format("2 January 2006, 15:04 UTC"),
		model, strings.TrimSpace(string(kernel)), runtime.Version(), pick("measured as a whole", "a cut"))}
}

// conclude prints and keeps the report, and fails the bench for each goal that
// it misses.
func conclude(t *testing.T, r *report.Report) {
	t.Helper()
	fmt.Printf("\n%s\n", r.Markdown())
	must(t, r.Write(*reports))
	for _, missed := range r.Missed() {
		t.Error(missed)
	}
}

// say tells on stderr how far a bench has come: stdout is for the tables.
func say(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+"  "+format+"\n", arguments...)
}

// program is one of those that hack/bench.sh compiles and names.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s names no program; run the bench by make or hack/bench.sh", variable)
	}
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
