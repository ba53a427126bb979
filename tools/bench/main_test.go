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
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

var (
	cut = flag.Bool("cut", false, "run a short version that takes minutes")
	// Relative to this folder, where go test runs the tests.
	reports = flag.String("reports", "../../dist/bench", "`folder` that each benchmark writes its table to")
)

// pick returns the value for the whole run or for the short one.
func pick[T any](whole, inACut T) T {
	if *cut {
		return inACut
	}
	return whole
}

// begin returns the report of a benchmark, with its time and machine.
func begin(t *testing.T, name string) *report.Report {
	t.Helper()
	model, err := cgroup.CPUModel(os.DirFS("/"))
	must(t, err)
	kernel, err := exec.CommandContext(t.Context(), "uname", "-sr").Output()
	must(t, err)
	return &report.Report{Name: name, Setting: fmt.Sprintf("%s, %s, %s, %s, %s.", time.Now().UTC().Format("2 January 2006, 15:04 UTC"),
		model, strings.TrimSpace(string(kernel)), runtime.Version(), pick("whole run", "short run"))}
}

// conclude prints and writes the report, and fails the benchmark for each missed goal.
func conclude(t *testing.T, r *report.Report) {
	t.Helper()
	fmt.Printf("\n%s\n", r.Markdown())
	must(t, r.Write(*reports))
	for _, missed := range r.Missed() {
		t.Error(missed)
	}
}

// say prints progress to stderr. stdout is for the tables.
func say(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+"  "+format+"\n", arguments...)
}

// program returns the path of a program that hack/bench.sh compiles.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s is not set; run the benchmark with make or hack/bench.sh", variable)
	}
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
