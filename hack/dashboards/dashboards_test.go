package dashboards

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

var update = flag.Bool("update", false, "write the dashboards of the chart")

// shipped is the folder of the dashboards in the chart.
const shipped = "../../charts/hashmark/files/dashboards"

func TestTheChartShipsTheseDashboards(t *testing.T) {
	for name, d := range All() {
		file := filepath.Join(shipped, name+".json")
		if *update {
			if err := os.WriteFile(file, written(t, d), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(golden), string(written(t, d))); diff != "" {
			t.Errorf("%s is out of date; run: make generate (-golden +made)\n%s", file, diff)
		}
	}
	files, err := filepath.Glob(shipped + "/*.json")
	if err != nil || len(files) != len(All()) {
		t.Errorf("the chart ships %q (%v), want a file for each of %d dashboards", files, err, len(All()))
	}
}

// forEachPanel runs a test for every panel of every dashboard.
func forEachPanel(t *testing.T, test func(*testing.T, Panel)) {
	t.Helper()
	for name, d := range All() {
		for _, element := range d.layout() {
			if panel, isPanel := element.(Panel); isPanel {
				t.Run(name+" "+panel.Title, func(t *testing.T) { test(t, panel) })
			}
		}
	}
}

// units are the units of Grafana that the panels use.
var units = []string{seconds, share, perSecond, number, plain, fromNow, replicas, "ops"}

func TestEveryPanelSaysWhatItShowsAndHowToReadIt(t *testing.T) {
	forEachPanel(t, func(t *testing.T, p Panel) {
		if p.Title == "" || len(p.Description) < 40 || !strings.HasSuffix(p.Description, ".") {
			t.Errorf("it is called %q and described as %q", p.Title, p.Description)
		}
		if !slices.Contains(units, p.Fields.Defaults.Unit) {
			t.Errorf("its unit is %q", p.Fields.Defaults.Unit)
		}
		if *p.Datasource != prometheus || len(p.Targets) == 0 {
			t.Errorf("it asks %v in %d queries", *p.Datasource, len(p.Targets))
		}
		for _, target := range p.Targets {
			if target.Instant == target.Range || target.Datasource != prometheus {
				t.Errorf("the query %s is neither of a moment nor of a time: %+v", target.RefID, target)
			}
		}
		if len(p.Targets) > 1 && p.Targets[0].Format == timeSeries && slices.ContainsFunc(p.Targets, func(q target) bool { return q.Legend == "" }) {
			t.Error("its lines have no names")
		}
	})
}

var (
	counted  = regexp.MustCompile(`\w+(_total|_bucket)\b`)
	windows  = regexp.MustCompile(`\[([^]]*)\]`)
	grouping = regexp.MustCompile(`\bby \(([^)]*)\) \((hashmark_\w+)\{`)
)

func TestQueriesGroupByLabelsThatTheirSeriesHave(t *testing.T) {
	labels := map[string][]string{}
	for _, series := range telemetry.All() {
		labels[series.Name] = series.Labels
	}
	for _, q := range Queries(Variables{}) {
		for _, match := range grouping.FindAllStringSubmatch(q.Expr, -1) {
			for label := range strings.SplitSeq(match[1], ", ") {
				if has := labels[match[2]]; has != nil && !slices.Contains(has, label) {
					t.Errorf("%s / %s groups %s by %s; it has %v", q.Dashboard, q.Panel, match[2], label, has)
				}
			}
		}
	}
}

// These are the rules target-rate-interval-rule and target-counter-agg-rule of
// dashboard-linter. Instead of its rules on job and instance, queries must not depend on the
// scraped pod: results belong to an experiment, whichever operator exports them.
func TestQueriesKeepToWhatTheyShould(t *testing.T) {
	for _, d := range All() {
		for _, s := range d.Sections {
			for _, p := range s.panels {
				for _, target := range p.Targets {
					if err := kept(d, target); err != nil {
						t.Errorf("%s / %s: %v\n%s", d.Title, p.Title, err, target.Expr)
					}
				}
			}
		}
	}
}

func kept(d Dashboard, q target) error {
	for _, window := range windows.FindAllStringSubmatch(q.Expr, -1) {
		if window[1] != "$__rate_interval" {
			return fmt.Errorf("it looks back by %s", window[1])
		}
	}
	counters := len(counted.FindAllString(q.Expr, -1))
	if rated := strings.Count(q.Expr, "rate("); rated != counters && !strings.Contains(q.Expr, telemetry.AttemptsTotal) {
		return fmt.Errorf("it has %d counters and %d rates", counters, rated)
	}
	for _, label := range []string{"pod", "instance", "job", "container", "endpoint"} {
		if regexp.MustCompile(`\b` + label + `\b`).MatchString(q.Expr) {
			return fmt.Errorf("it knows of %s", label)
		}
	}
	filter := map[string]string{experimentUID: ofExperiment, liveUID: ofVariants}[d.UID]
	selectors, filtered := strings.Count(q.Expr, "{"), strings.Count(q.Expr, filter)
	if filter != "" && selectors != filtered {
		return fmt.Errorf("%d of %d series are of the chosen experiment", filtered, selectors)
	}
	return nil
}
