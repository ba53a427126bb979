//go:build prometheus

package dashboards

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func chosen() Variables {
	return Variables{Namespace: "shop", Experiment: "login", Variant: ".+", RateInterval: "1m"}
}

func TestEveryQueryGivesOneLineForEachLegend(t *testing.T) {
	s := prometheusWithHistory(t)
	for _, q := range Queries(chosen()) {
		t.Run(q.Dashboard+" "+q.Panel, func(t *testing.T) {
			results := s.overHistory(t, q.Expr)
			if len(results) == 0 && q.MayBeEmpty != allMeasured {
				t.Fatalf("no data\n%s", q.Expr)
			}
			seen := map[string]bool{}
			for _, r := range results {
				checkLine(t, q, r)
				// The rows of a table differ in all of their labels.
				name := legend(q, r.Metric)
				if seen[name] && !q.Instant {
					t.Errorf("two lines are called %q\n%s", name, q.Expr)
				}
				seen[name] = true
			}
		})
	}
}

func checkLine(t *testing.T, q Query, r result) {
	t.Helper()
	for _, label := range []string{"pod", "instance", "job"} {
		if r.Metric[label] != "" {
			t.Errorf("the label %s is kept: a change of leader draws a second line\n%s", label, q.Expr)
		}
	}
	for _, label := range labelsOf(q.Legend) {
		if r.Metric[label] == "" {
			t.Errorf("the legend %q has no %s in %v\n%s", q.Legend, label, r.Metric, q.Expr)
		}
	}
	// Every sample of the history has a successor: a gap means that the change of leader shows.
	const most = 15*60/10 - 1
	if len(r.Values) < most && !q.Instant {
		t.Errorf("%d points of %d\n%s", len(r.Values), most, q.Expr)
	}
	// Gauges never change in the history. If a value changes, the samples of two operators were
	// added up.
	moves := slices.ContainsFunc(r.Values, func(v [2]any) bool { return v[1] != r.Values[0][1] })
	if moves && !counting.MatchString(q.Expr) && q.Panel != "Leading operators" {
		t.Errorf("the handover shows: %v\n%s", r.Values, q.Expr)
	}
	if slices.ContainsFunc(r.Values, func(v [2]any) bool { return v[1] == "NaN" }) {
		t.Errorf("a value is not a number: %v\n%s", r.Metric, q.Expr)
	}
}

// counting matches the queries whose results change with time.
var counting = regexp.MustCompile(`_total|_count|_bucket|time\(\)`)

var inBraces = regexp.MustCompile(`{{(\w+)}}`)

func labelsOf(legend string) (labels []string) {
	for _, match := range inBraces.FindAllStringSubmatch(legend, -1) {
		labels = append(labels, match[1])
	}
	return labels
}

func legend(q Query, labels map[string]string) string {
	return inBraces.ReplaceAllStringFunc(q.Legend, func(name string) string { return labels[strings.Trim(name, "{}")] })
}

// query returns the n-th query of a panel.
func query(t *testing.T, panel string, n int) Query {
	t.Helper()
	var found []Query
	for _, q := range Queries(chosen()) {
		if q.Panel == panel {
			found = append(found, q)
		}
	}
	if len(found) <= n {
		t.Fatalf("%s has %d queries", panel, len(found))
	}
	return found[n]
}

// by returns the value of each result by the values of some labels.
func by(results []result, labels ...string) map[string]string {
	values := map[string]string{}
	for _, r := range results {
		var key []string
		for _, label := range labels {
			key = append(key, r.Metric[label])
		}
		values[strings.Join(key, " ")] = r.Value[1].(string)
	}
	return values
}

func TestACurveHasARateForEachP95AndTheObjectiveAsALine(t *testing.T) {
	s := prometheusWithHistory(t)
	rates := by(s.atEnd(t, query(t, "p95 against offered rate", 0).Expr), "variant", "step")
	latencies := by(s.atEnd(t, query(t, "p95 against offered rate", 1).Expr), "variant", "step")
	if len(rates) != len(latencies) || len(rates) != 2*len(variantLabels)+2 {
		t.Errorf("%d rates and %d latencies, want a pair for each of two steps of each variant, and two for the objective", len(rates), len(latencies))
	}
	for point := range rates {
		if latencies[point] == "" {
			t.Errorf("%s has no p95", point)
		}
	}
	want := map[string]string{"objective first": "0", "objective last": "15"}
	got := map[string]string{"objective first": rates["objective first"], "objective last": rates["objective last"]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the objective's line goes from no load to the highest rate (-want +got):\n%s", diff)
	}
	if latencies["objective first"] != latencies["objective last"] {
		t.Error("the objective's line is not level")
	}
}

func TestAMatrixHasACellForEachCostAndLimitAndNoneForControls(t *testing.T) {
	s := prometheusWithHistory(t)
	measured := map[string]string{"8 250m": "1", "8 1": "2", "10 250m": "3", "10 1": "4"}
	both := maps.Clone(measured)
	for cell, value := range measured {
		both[strings.Replace(cell, " ", " predicted ", 1)] = value
	}
	for panel, want := range map[string]map[string]string{"Capacity": both, "p95 at the reported step": measured} {
		if diff := cmp.Diff(want, by(s.atEnd(t, query(t, panel, 0).Expr), "cost", "cpu_limit")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", panel, diff)
		}
	}
}

func TestAVariantWithoutReasonsIsToldToo(t *testing.T) {
	s := prometheusWithHistory(t)
	got := by(s.atEnd(t, query(t, "Verdicts with their reasons", 0).Expr), "variant", "verdict", "reason")
	want := map[string]string{
		"c8-250m Valid None": "1", "c8-1 Valid SharedNode": "1", "c10-250m Valid SharedNode": "1", "c10-1 Valid SharedNode": "1",
		"argon2id-1 Valid SharedNode": "1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryVariableHasValuesToChooseFrom(t *testing.T) {
	s := prometheusWithHistory(t)
	fill := strings.NewReplacer("$namespace", "shop", "$experiment", "login")
	for name, d := range All() {
		for _, v := range d.Variables {
			asked, isQuery := v.Query.(map[string]any)
			if !isQuery {
				continue
			}
			query := strings.TrimPrefix(fill.Replace(asked["query"].(string)), "label_values(")
			selector, label, _ := strings.Cut(strings.TrimSuffix(query, ")"), ", ")
			if results := s.atEnd(t, "count by ("+label+") ("+selector+")"); len(results) == 0 || results[0].Metric[label] == "" {
				t.Errorf("%s: %s has no values: %s", name, v.Name, query)
			}
		}
	}
}

func TestSharesAndPhasesAreWorkedOutRight(t *testing.T) {
	s := prometheusWithHistory(t)
	tests := map[string]struct {
		panel string
		n     int
		key   string
		want  string
	}{
		"a tenth of the requests was refused":             {"k6: share of failed requests", 0, "c8-1", "0.1"},
		"none is refused of another variant":              {"k6: share of failed requests", 0, "c8-250m", "0"},
		"two fifths of the periods of both pods":          {"Login service: throttled", 0, "c8-1", "0.4"},
		"both pods' queues together":                      {"Login service: in flight and queued", 1, "c8-1", "4"},
		"both pods' CPU time together":                    {"Login service: CPU used", 0, "c8-1", "1"},
		"an experiment that runs is in the third phase":   {"Phase", 0, "", "3"},
		"one operator leads, whichever it is":             {"Leading operators", 0, "", "1"},
		"the mean of a stage over both operators' trials": {"Mean duration of a stage", 0, "", "30"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := by(s.atEnd(t, query(t, test.panel, test.n).Expr), "variant")[test.key]
			number, err := strconv.ParseFloat(got, 64)
			if err != nil || fmt.Sprintf("%.4g", number) != test.want {
				t.Errorf("%s says %s, want %s", test.panel, got, test.want)
			}
		})
	}
}
