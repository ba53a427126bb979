package report_test

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// One measurement has one p95 everywhere: in the trial, in the experiment, in the report, in the CSV and
// in the metrics.
func TestMeasurementHasSameP95Everywhere(t *testing.T) {
	file, err := os.Open("../../docs/gallery/quickstart.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	saved, err := report.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	experiment, trials := saved.Experiment, matrix.Measurements(saved.Trials)
	if err := sizing.Rows(experiment.Spec, trials, &experiment.Status); err != nil {
		t.Fatal(err)
	}
	document := report.New(experiment, trials)
	lines, err := csv.NewReader(strings.NewReader(written(t, report.CSV, document))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	samples := telemetry.Of(telemetry.State{Experiments: []v1beta1.SizingExperiment{*experiment}, Trials: trials, MaxExperiments: 1})
	if len(trials) == 0 {
		t.Fatal("the saved report has no trials")
	}
	for i := range trials {
		name := trials[i].Spec.Variant.Name
		inExperiment := slices.IndexFunc(experiment.Status.Results, func(r v1beta1.VariantResult) bool { return r.Variant == name })
		inCSV := slices.IndexFunc(lines, func(line []string) bool { return line[slices.Index(lines[0], "variant")] == name })
		inMetrics := slices.IndexFunc(samples, func(s telemetry.Sample) bool {
			return s.Series.Name == "hashmark_variant_p95_seconds" && s.Values[slices.Index(s.Series.Labels, "variant")] == name
		})
		milliseconds, err := strconv.ParseFloat(cell(lines, inCSV, "p95_milliseconds"), 64)
		if err != nil {
			t.Fatal(err)
		}
		want := *trials[i].Status.Result.P95Microseconds
		for where, got := range map[string]int64{
			"the step":       *loadplan.ReportedStep(&trials[i].Status).AtReference.P95Microseconds,
			"the experiment": *experiment.Status.Results[inExperiment].P95Microseconds,
			"the report":     *document.Row(name).Result.P95Microseconds,
			"the CSV":        int64(math.Round(1000 * milliseconds)),
			"the metrics":    int64(math.Round(1e6 * samples[inMetrics].Value)),
		} {
			if got != want {
				t.Errorf("%s has %d µs in the trial and %d in %s", name, want, got, where)
			}
		}
	}
}

func cell(lines [][]string, line int, column string) string {
	for i, name := range lines[0] {
		if name == column {
			return lines[line][i]
		}
	}
	return "there is no column " + column
}
