//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/hack/dashboards"
)

// span returns when every variant of the quickstart was measured, with a few more scrapes for the last results.
func span(t *testing.T) promv1.Range {
	t.Helper()
	e, _ := compared(t)
	if e.Status.Phase != v1beta1.ExperimentSucceeded {
		t.Fatalf("it is %s", e.Status.Phase)
	}
	return promv1.Range{Start: e.Status.StartTime.Time, End: e.Status.CompletionTime.Add(4 * scrape), Step: scrape}
}

func TestEveryPanelHasData(t *testing.T) {
	prometheus, span := prometheus(t), span(t)
	queries := dashboards.Queries(dashboards.Variables{Namespace: "hashmark-demo", Experiment: "compare-variants", Variant: ".+", RateInterval: "1m"})
	if len(queries) == 0 {
		t.Fatal("the dashboards have no queries")
	}
	empty := 0
	for _, query := range queries {
		value, _, _, err := prometheus.QueryRange(t.Context(), query.Expr, span)
		if err != nil {
			t.Errorf("%s, %s: %s: %v", query.Dashboard, query.Panel, query.Expr, err)
			continue
		}
		if numbers(value) > 0 {
			continue
		}
		if empty++; query.MayBeEmpty == "" {
			t.Errorf("%s, %s has no data: %s", query.Dashboard, query.Panel, query.Expr)
		}
	}
	t.Logf("%d of %d queries have data", len(queries)-empty, len(queries))
}

// numbers returns the number of samples that are numbers: 0 ÷ 0 is drawn as nothing.
func numbers(value model.Value) int {
	matrix, _ := value.(model.Matrix)
	n := 0
	for _, series := range matrix {
		for _, sample := range series.Values {
			if !math.IsNaN(float64(sample.Value)) {
				n++
			}
		}
		n += len(series.Histograms)
	}
	return n
}

// documented matches the names of the series in the tables of docs/metrics.md.
var documented = regexp.MustCompile("(?m)^\\| `((?:hashmark|k6)_[a-z0-9_]+)")

// unseen are series that the experiment does not have, each with the reason.
var unseen = map[string]string{
	"hashmark_experiment_queue_position":        "nothing waits behind the only experiment",
	"hashmark_experiment_no_recommendation":     "a size fits its demand",
	"hashmark_experiment_objective_p50_seconds": "its objective is only p95",
	"hashmark_experiment_objective_p99_seconds": "its objective is only p95",
	"hashmark_model_check_passed":               "its four variants are the corners of its matrix, so none is held out",
}

// perhaps are series that the experiment may or may not have.
var perhaps = map[string]string{
	"hashmark_variant_reason": "if every variant is Valid, none has a reason",
}

func TestEverySeriesOfTheDocumentationHasData(t *testing.T) {
	prometheus, span := prometheus(t), span(t)
	text, err := os.ReadFile("../../docs/metrics.md")
	must(t, err)
	seconds := int(span.End.Sub(span.Start) / time.Second)
	value, _, _, err := prometheus.Query(t.Context(),
		fmt.Sprintf(`count by (__name__) (last_over_time({__name__=~"(hashmark|k6)_.+"}[%ds]))`, seconds), span.End)
	must(t, err)
	var seen []string
	for _, sample := range value.(model.Vector) {
		seen = append(seen, string(sample.Metric[model.MetricNameLabel]))
	}
	names := documented.FindAllStringSubmatch(string(text), -1)
	if len(names) < 30 {
		t.Errorf("docs/metrics.md lists only %d series", len(names))
	}
	for _, match := range names {
		name := match[1]
		if perhaps[name] != "" {
			continue
		}
		// A histogram has three series with other names.
		has := slices.ContainsFunc(seen, func(s string) bool { return s == name || s == name+"_count" })
		if why, excused := unseen[name]; has == excused {
			t.Errorf("%s: has data: %t; %s", name, has, strings.TrimSpace("excused: "+why))
		}
	}
}
