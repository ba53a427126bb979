package report_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

func TestGoals(t *testing.T) {
	for name, test := range map[string]struct {
		goal   report.Goal
		figure float64
		holds  bool
		text   string
	}{
		"a figure at the lower end holds":         {report.AtLeast(0.97), 0.97, true, "at least 0.97"},
		"a figure below the lower end does not":   {report.AtLeast(0.97), 0.969, false, "at least 0.97"},
		"a figure at the upper end holds":         {report.AtMost(10), 10, true, "at most 10"},
		"a figure above the upper end does not":   {report.AtMost(10), 10.1, false, "at most 10"},
		"a figure between both holds":             {report.Between(0.9, 1.1), 1, true, "0.9 to 1.1"},
		"a figure below both does not":            {report.Between(0.9, 1.1), 0.8, false, "0.9 to 1.1"},
		"a figure above both does not":            {report.Between(0.9, 1.1), 1.2, false, "0.9 to 1.1"},
		"a figure that was not measured does not": {report.AtLeast(0), math.NaN(), false, "at least 0"},
		"any figure holds without a goal":         {report.Goal{}, math.NaN(), true, ""},
		"a goal that never fails holds the same":  {report.AtMost(10).ReportOnly(), 11, false, "at most 10"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.goal.Holds(test.figure); got != test.holds {
				t.Errorf("%v holds for %v: %t", test.goal, test.figure, got)
			}
			if got := test.goal.String(); got != test.text {
				t.Errorf("the goal reads %q, want %q", got, test.text)
			}
		})
	}
}

func sample() *report.Report {
	r := &report.Report{Name: "bound", Setting: "A cut, on two cores."}
	r.Add("pool at 1", 0.986, report.AtLeast(0.97), "5 trials")
	r.Add("unbounded at 1", 0.9, report.AtLeast(0.95), "")
	r.Add("overhead in seconds", 12, report.AtMost(10).ReportOnly(), "")
	r.Add("hashes", 1234.5, report.Goal{}, "")
	r.Add("milliseconds", 123.45, report.Goal{}, "")
	r.Add("pool at 500m", math.NaN(), report.AtLeast(0.95), "Failed")
	return r
}

func TestTheTableHoldsEveryFigureBesideItsGoal(t *testing.T) {
	want := `A cut, on two cores.

| bound | figure | goal | met | notes |
|---|---|---|---|---|
| pool at 1 | 0.986 | at least 0.97 | yes | 5 trials |
| unbounded at 1 | 0.900 | at least 0.95 | **no** |  |
| overhead in seconds | 12 | at most 10 | **no** |  |
| hashes | 1234 |  |  |  |
| milliseconds | 123.5 |  |  |  |
| pool at 500m | none | at least 0.95 | **no** | Failed |
`
	if diff := cmp.Diff(want, sample().Markdown()); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
	folder := filepath.Join(t.TempDir(), "bench")
	if err := sample().Write(folder); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(folder, "bound.md"))
	if diff := cmp.Diff(want, string(written)); diff != "" || err != nil {
		t.Errorf("error %v; what was written (-want +got):\n%s", err, diff)
	}
}

func TestOnlyGoalsThatAreAskedForAreMissed(t *testing.T) {
	want := []string{"unbounded at 1 is 0.900, want at least 0.95", "pool at 500m is none, want at least 0.95"}
	if diff := cmp.Diff(want, sample().Missed()); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
	if missed := (&report.Report{Name: "empty"}).Missed(); len(missed) != 1 {
		t.Errorf("a report without figures misses %v", missed)
	}
}
