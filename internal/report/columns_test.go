package report_test

import (
	"slices"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// section returns the section of a report with a title.
func section(t *testing.T, document report.Document, title string) report.Section {
	t.Helper()
	sections := document.Sections()
	at := slices.IndexFunc(sections, func(s report.Section) bool { return s.Title == title })
	if at < 0 {
		t.Fatalf("there is no section %q", title)
	}
	return sections[at]
}

// p50 and p99 are next to p95. They have intervals only if the objective limits them.
func TestPercentilesHaveIntervalsOnlyWithObjective(t *testing.T) {
	for name, c := range map[string]struct {
		objective v1beta1.Objective
		p50, p99  string
	}{
		"an objective of p95 alone": {v1beta1.Objective{P95Milliseconds: 1000}, "60ms", "941ms"},
		"an objective of p99, too":  {v1beta1.Objective{P95Milliseconds: 1000, P99Milliseconds: ptr.To[int32](2000)}, "60ms", "941ms (800ms–1.2s)"},
		"an objective of all three": {v1beta1.Objective{P50Milliseconds: ptr.To[int32](100), P95Milliseconds: 1000, P99Milliseconds: ptr.To[int32](2000)}, "60ms (55ms–70ms)", "941ms (800ms–1.2s)"},
	} {
		t.Run(name, func(t *testing.T) {
			document := full(t)
			document.Experiment.Spec.Objective = c.objective
			row := &document.Experiment.Status.Results[0]
			row.P50Microseconds, row.P50Interval = ptr.To[int64](60_000), &handover.Interval{LowMicroseconds: 55_000, HighMicroseconds: 70_000}
			row.P99Microseconds, row.P99Interval = ptr.To[int64](941_000), &handover.Interval{LowMicroseconds: 800_000, HighMicroseconds: 1_200_000}
			variants := section(t, report.New(document.Experiment, document.Trials), "Variants")
			for column, want := range map[string]string{"p50": c.p50, "p99": c.p99} {
				if at := slices.Index(variants.Columns, column); at < 0 || variants.Lines[0][at] != want {
					t.Errorf("%s is not %q in %v of %v", column, want, variants.Lines[0], variants.Columns)
				}
			}
		})
	}
}

// These columns are not in the golden files, whose tables would be too wide for a terminal.
func TestColumnsOfFailuresLivenessAndMemory(t *testing.T) {
	variants := section(t, changed(t, func(e *experiment, _ []v1beta1.SizingTrial) {
		rows := e.Status.Results
		rows[0].Failures, rows[0].MemoryPeakBytes = &v1beta1.Failures{AtMostPerMillion: 5800}, ptr.To[int64](11_848_909)
		rows[0].Alive = &handover.Alive{Probes: 20, P95Microseconds: ptr.To[int64](16_000)}
		rows[1].Alive = &handover.Alive{Probes: 20, Failed: 1, P95Microseconds: ptr.To[int64](16_000)}
	}), "Variants")
	for column, want := range map[string][]string{"Failed": {"at most 0.58 %", ""}, "Alive": {"16ms", "1 of 20 failed"}, "Memory": {"11.3 MiB", ""}} {
		at := slices.Index(variants.Columns, column)
		if got := []string{variants.Lines[0][at], variants.Lines[1][at]}; !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
}
