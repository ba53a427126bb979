package telemetry_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"

	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

var update = flag.Bool("update", false, "write the golden files of this package")

// exporter exports a state to a registry, as the operator does at each scrape.
type exporter struct{ state telemetry.State }

func (e exporter) Describe(descriptions chan<- *prometheus.Desc) {
	for _, series := range telemetry.All() {
		descriptions <- series.Description()
	}
}

func (e exporter) Collect(values chan<- prometheus.Metric) {
	for _, sample := range telemetry.Of(e.state) {
		values <- sample.Metric()
	}
}

// exposition returns what Prometheus scrapes. The registry refuses duplicate samples.
func exposition(t testing.TB, state telemetry.State) []byte {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(exporter{state})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	return text.Bytes()
}

func TestExpositionMatchesGoldenFile(t *testing.T) {
	file, got := filepath.Join("testdata", "clinic.prom"), repeated.ReplaceAll(exposition(t, clinic()), nil)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading the golden file (write it with -update): %v", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the series (-want +got):\n%s", diff)
	}
}

// repeated finds what the golden file leaves out: help texts, all steps but the second, and of the experiment with a
// recommendation all variants but that one.
var repeated = regexp.MustCompile(`(?m)^(#|.*step="0[134]"|.*experiment="answered".*variant="c(8-1|8-500m|10-1)").*\n`)

func TestSeriesPassPromlint(t *testing.T) {
	problems, err := testutil.CollectAndLint(exporter{clinic()})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestEverySeriesHasASample(t *testing.T) {
	for _, series := range telemetry.All() {
		if testutil.CollectAndCount(exporter{clinic()}, series.Name) == 0 {
			t.Errorf("%s has none", series.Name)
		}
	}
}
