package dashboards

import "strings"

// All returns the dashboards by the name of their file in the chart.
func All() map[string]Dashboard {
	return map[string]Dashboard{"overview": overview(), "experiment": experiment(), "live": live()}
}

// Variables are the values of the variables of a page, including what Grafana computes from
// the width of the screen.
type Variables struct {
	// Namespace, Experiment and Variant are regular expressions: .+ means all. Namespace and
	// Experiment are names if a page is about one experiment.
	Namespace, Experiment, Variant string
	// RateInterval is $__rate_interval, at least four scrape intervals: 1m.
	RateInterval string
}

// Query is a query of a panel or an annotation.
type Query struct {
	// Dashboard and Panel are titles.
	Dashboard, Panel string
	// Expr is PromQL.
	Expr string
	// Instant queries are evaluated at the end of the time range, the others over all of it.
	// Every query can be evaluated over time.
	Instant bool
	// Legend is the name of a line, with labels in double braces.
	Legend string
	// MayBeEmpty is the reason why the query can have no data while experiments are measured.
	// It is empty for most queries, which always have data.
	MayBeEmpty string
}

// Queries returns every query of every panel with the variables filled in, dashboard by
// dashboard and from top to bottom.
func Queries(chosen Variables) []Query {
	fill := strings.NewReplacer(
		"$namespace", chosen.Namespace, "$experiment", chosen.Experiment, "$variant", chosen.Variant,
		"$__rate_interval", chosen.RateInterval,
	)
	var queries []Query
	for _, d := range []Dashboard{overview(), experiment(), live()} {
		add := func(panel string, t target) {
			queries = append(queries, Query{
				Dashboard: d.Title, Panel: panel, Expr: fill.Replace(t.Expr), Instant: t.Instant, Legend: t.Legend, MayBeEmpty: t.mayBeEmpty,
			})
		}
		for _, a := range d.Annotations {
			add("annotation "+a.Name, a.Target)
		}
		for _, s := range d.Sections {
			for _, panel := range s.panels {
				for _, t := range panel.Targets {
					add(panel.Title, t)
				}
			}
		}
	}
	return queries
}
