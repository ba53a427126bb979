package dashboards

import "strings"

// All are the dashboards, by the name of the file that each is shipped in.
func All() map[string]Dashboard {
	return map[string]Dashboard{"overview": overview(), "experiment": experiment(), "live": live()}
}

// Variables are what a reader chose at the top of a page, and what Grafana works
// out from the width of the screen.
type Variables struct {
	// Namespace, Experiment and Variant as regular expressions: .+ is all.
	// Namespace and Experiment are names where a page is about one experiment.
	Namespace, Experiment, Variant string
	// RateInterval is $__rate_interval, at least four scrapes: 1m.
	RateInterval string
}

// Query is what a panel, or an annotation, asks.
type Query struct {
	// Dashboard and Panel by their titles.
	Dashboard, Panel string
	// Expr is PromQL.
	Expr string
	// Instant queries are asked at the end of the time that is looked at, all
	// others over all of it. Each can be asked over time.
	Instant bool
	// Legend names a line, with labels in double braces.
	Legend string
	// MayBeEmpty says why the query may rightly have no data while experiments
	// are measured; most may not.
	MayBeEmpty string
}

// Queries lists every query of every panel, dashboard by dashboard and from top
// to bottom, with the variables filled in.
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
