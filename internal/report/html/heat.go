package html

import (
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// heatMap shows capacity by cost and CPU limit. It is a table with coloured cells, so that
// a screen reader can read it.
type heatMap struct {
	// The node pool and the concurrency, if there are several.
	Title  string
	Limits []string
	Rows   []heatRow
}

type heatRow struct {
	Cost  int32
	Cells []heatCell
}

// heatCell is a variant. It is empty if no variant has that cost and limit.
type heatCell struct {
	Text string
	// A note about the number: predicted, suspect, recommended.
	Note string
	// From 1 for the least capacity to 5; 0 without a capacity.
	Level       int
	Predicted   bool
	Recommended bool
}

// levels are the colours of the cells from the least capacity to the greatest. They are
// ColorBrewer's Blues (https://colorbrewer2.org), whose order is visible in print and to
// people with colour blindness. The dark page reverses and dims them.
var levels = []colour{
	{Name: "level-1", Light: "#eff3ff", Dark: "#16263d"},
	{Name: "level-2", Light: "#deebf7", Dark: "#1b3352"},
	{Name: "level-3", Light: "#c6dbef", Dark: "#21416a"},
	{Name: "level-4", Light: "#9ecae1", Dark: "#285084"},
	{Name: "level-5", Light: "#7db8da", Dark: "#2f609f"},
}

// heatMaps returns a map for each node pool and concurrency, in the order of the rows.
func heatMaps(d report.Document) []heatMap {
	least, most := span(d.Rows)
	var maps []heatMap
	for _, group := range groups(d.Rows) {
		m := heatMap{Title: group.name, Limits: limits(group.rows)}
		for _, cost := range costs(group.rows) {
			row := heatRow{Cost: cost}
			for _, limit := range m.Limits {
				row.Cells = append(row.Cells, cell(d, group.rows, cost, limit, least, most))
			}
			m.Rows = append(m.Rows, row)
		}
		maps = append(maps, m)
	}
	return maps
}

func cell(d report.Document, rows []report.Row, cost int32, limit string, least, most float64) heatCell {
	at := slices.IndexFunc(rows, func(r report.Row) bool { return r.Result.Hash.Cost() == cost && r.Result.CPULimit == limit })
	if at < 0 {
		return heatCell{}
	}
	row := rows[at]
	c := heatCell{Predicted: row.Predicted, Text: "none"}
	var notes []string
	if recommendation := d.Experiment.Status.Recommendation; recommendation != nil && recommendation.Variant == row.Result.Variant {
		c.Recommended, notes = true, append(notes, "recommended")
	}
	if row.Predicted || row.Result.Verdict != v1beta1.VerdictValid {
		notes = append(notes, row.Verdict())
	}
	switch capacity := row.Result.CapacityMilliPerSecond; {
	case capacity != nil:
		c.Text, c.Level = units.Rate(capacity), level(float64(*capacity), least, most)
	case row.Objective() == "":
		c.Text = "–"
	}
	c.Note = strings.Join(notes, ", ")
	return c
}

// level divides the range of capacities into five parts of equal ratio.
func level(capacity, least, most float64) int {
	if most <= least {
		return 3
	}
	return 1 + int(math.Round(4*math.Log(capacity/least)/math.Log(most/least)))
}

func span(rows []report.Row) (least, most float64) {
	for _, row := range rows {
		if capacity := row.Result.CapacityMilliPerSecond; capacity != nil && *capacity > 0 {
			value := float64(*capacity)
			if least == 0 || value < least {
				least = value
			}
			most = max(most, value)
		}
	}
	return least, most
}

type group struct {
	name string
	rows []report.Row
}

// groups returns the groups of rows with a cost. Other hashes have no place on an axis of costs.
func groups(rows []report.Row) []group {
	var all []group
	named := differing(rows)
	for _, row := range rows {
		if !row.Result.Hash.IsCost() {
			continue
		}
		name := named(row)
		at := slices.IndexFunc(all, func(g group) bool { return g.name == name })
		if at < 0 {
			at, all = len(all), append(all, group{name: name})
		}
		all[at].rows = append(all[at].rows, row)
	}
	return all
}

// differing returns a function that names the node pool and the concurrency of a row, each
// only if not all rows have the same.
func differing(rows []report.Row) func(report.Row) string {
	several := func(property func(report.Row) string) bool {
		return slices.ContainsFunc(rows, func(r report.Row) bool { return property(r) != property(rows[0]) })
	}
	pool := func(r report.Row) string { return r.Result.NodePool }
	var parts []func(report.Row) string
	for _, property := range []func(report.Row) string{pool, report.Row.Concurrency} {
		if several(property) {
			parts = append(parts, property)
		}
	}
	return func(r report.Row) string {
		var named []string
		for _, property := range parts {
			if text := property(r); text != "" {
				named = append(named, text)
			}
		}
		return strings.Join(named, ", ")
	}
}

// limits returns the CPU limits in ascending order, each as it was first written.
func limits(rows []report.Row) []string {
	var all []string
	for _, row := range rows {
		if !slices.Contains(all, row.Result.CPULimit) {
			all = append(all, row.Result.CPULimit)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int {
		first, _ := resource.ParseQuantity(a)
		second, _ := resource.ParseQuantity(b)
		return first.Cmp(second)
	})
	return all
}

func costs(rows []report.Row) []int32 {
	var all []int32
	for _, row := range rows {
		all = append(all, row.Result.Hash.Cost())
	}
	slices.Sort(all)
	return slices.Compact(all)
}
