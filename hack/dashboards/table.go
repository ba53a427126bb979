package dashboards

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// column is a column of a table with the values of a label or of a query.
type column struct {
	// label is the label whose values are shown; or
	label string
	// expr is a query at the end of the time range whose values are shown.
	expr string
	// header is the title of the column. Without a title, the query only adds its labels.
	header string
	shown  []property
	// widest is the number of characters of the widest text below the header. Columns of labels
	// without it share the rest of the width.
	widest int
	// mayBeEmpty is the reason why the query can have no data.
	mayBeEmpty string
}

// measured returns a column with the values of a series in a unit.
func measured(labels, series, filter, header, measuredIn string) column {
	return column{expr: best(labels, series, filter), header: header, shown: []property{unit(measuredIn)}}
}

type tableOptions struct {
	CellHeight string     `json:"cellHeight"`
	FrameIndex int        `json:"frameIndex"`
	ShowHeader bool       `json:"showHeader"`
	SortBy     []sortedBy `json:"sortBy"`
}

type sortedBy struct {
	DisplayName string `json:"displayName"`
	Desc        bool   `json:"desc"`
}

type cellStyle struct {
	Align       string   `json:"align"`
	CellOptions cellKind `json:"cellOptions"`
	Inspect     bool     `json:"inspect"`
	MinWidth    int      `json:"minWidth,omitempty"`
}

type cellKind struct {
	Type string `json:"type"`
	Mode string `json:"mode,omitempty"`
}

// Kinds of cells.
var (
	plainCell  = cellKind{Type: "auto"}
	filledCell = cellKind{Type: "color-background", Mode: "basic"}
	wordCell   = cellKind{Type: "color-text"}
)

func cells(kind cellKind) property { return property{"custom.cellOptions", kind} }

// inWords shows the words of a column in their colours.
func inWords(all []word) []property {
	return []property{{"mappings", spelled(all)}, cells(wordCell)}
}

// table returns a table with a row for each set of labels, and a column for each label and
// each value. Rows of several queries are joined if their common labels are equal.
func (a about) table(sorted string, columns ...column) Panel {
	var targets []target
	for _, c := range columns {
		if c.expr != "" {
			targets = append(targets, target{Expr: c.expr, Format: tableRows, Instant: true, mayBeEmpty: c.mayBeEmpty})
		}
	}
	panel := a.panel("table", tableOptions{CellHeight: "sm", ShowHeader: true, SortBy: []sortedBy{{DisplayName: sorted}}},
		fieldConfig{
			Defaults:  field{Unit: plain, Custom: cellStyle{Align: "auto", CellOptions: plainCell, MinWidth: narrowest}},
			Overrides: headed(columns),
		}, targets)
	panel.Transformations = joined(columns, panel.Targets)
	return panel
}

// narrowest is the width of a column that shares the rest of a page that is too narrow. With
// Grafana's own, 150 pixels, a page has room for nine columns.
const narrowest = 80

func headed(columns []column) []override {
	var overrides []override
	for _, c := range columns {
		shown := c.shown
		if width := c.width(); width > 0 {
			shown = append(slices.Clip(shown), property{"custom.width", width})
		}
		if c.header != "" && len(shown) > 0 {
			overrides = append(overrides, named(c.header, shown...))
		}
	}
	return overrides
}

// width returns the width in pixels in which the header and the values can be read, or 0.
func (c column) width() int {
	widest := c.widest
	if widest == 0 && c.expr != "" {
		widest = widestNumber
	}
	if widest == 0 {
		return 0
	}
	return max(widest*15/2+14, utf8.RuneCountInString(c.header)*8+22)
}

// widestNumber is the number of characters of a number with three digits and its unit.
const widestNumber = len("12.3 ms")

// joined returns the transformations that join the queries of a panel to one table, with the
// columns in their order and with their titles.
func joined(columns []column, targets []target) []transformation {
	excluded, order, titles := map[string]any{"Time": true}, map[string]any{}, map[string]any{}
	next := 0
	for i, c := range columns {
		field := c.label
		if c.expr != "" {
			field = "Value"
			if len(targets) > 1 {
				field = "Value #" + targets[next].RefID
			}
			next++
		}
		if c.header == "" {
			excluded[field] = true
			continue
		}
		order[field], titles[field] = i, c.header
	}
	organize := transformation{"organize", map[string]any{
		"excludeByName": excluded, "indexByName": order, "renameByName": titles,
	}}
	if len(targets) == 1 {
		return []transformation{organize}
	}
	return []transformation{{"merge", map[string]any{}}, organize}
}

// matrix returns a table with a row for each cost and a column for each CPU limit, in the
// order of the query's rows. The colours are relative to all cells.
func (a about) matrix(measuredIn, colors string, descending bool, expr string) Panel {
	panel := a.panel("table", tableOptions{CellHeight: "lg", ShowHeader: true, SortBy: []sortedBy{}},
		fieldConfig{
			Defaults: field{
				Unit: measuredIn, NoValue: "–", Color: &color{Mode: colors},
				Custom: cellStyle{Align: "center", CellOptions: filledCell},
			},
			Overrides: []override{texts(property{"displayName", `cost \ CPU limit`}, unit(asText), cells(plainCell))},
		}, []target{{Expr: expr, Format: tableRows, Instant: true}})
	panel.Transformations = []transformation{
		{"sortBy", map[string]any{"fields": map[string]any{}, "sort": []any{map[string]any{"field": "Value", "desc": descending}}}},
		{"groupingToMatrix", map[string]any{
			"rowField": "cost", "columnField": "cpu_limit", "valueField": "Value", "emptyValue": "null",
		}},
	}
	return panel
}

type curveOptions struct {
	Mapping string `json:"mapping"`
	Series  []any  `json:"series"`
	plotOptions
}

type curveStyle struct {
	LineStyle lineStyle `json:"lineStyle"`
	LineWidth int       `json:"lineWidth"`
	PointSize pointSize `json:"pointSize"`
	Show      string    `json:"show"`
}

type pointSize struct {
	Fixed int `json:"fixed"`
}

// curve draws the values of a query (y) over those of another (x) for each variant. Rows
// with the same variant and step are one point.
func (a about) curve(fields field, x, y column, overrides ...override) Panel {
	fields.Custom = curveStyle{LineStyle: lineStyle{Fill: "solid"}, LineWidth: 2, PointSize: pointSize{8}, Show: "points+lines"}
	targets := []target{
		{Expr: x.expr, Format: tableRows, Instant: true, mayBeEmpty: x.mayBeEmpty},
		{Expr: y.expr, Format: tableRows, Instant: true, mayBeEmpty: y.mayBeEmpty},
	}
	overrides = append([]override{
		matching("/^"+x.header+"/", append(x.shown, property{"custom.axisLabel", x.header})...),
		matching("/^"+y.header+"/", property{"custom.axisLabel", y.header}),
	}, overrides...)
	panel := a.panel("xychart",
		curveOptions{"auto", []any{}, plotOptions{listed(), tooltipOptions{Mode: "single", Sort: "none"}}},
		fieldConfig{Defaults: fields, Overrides: overrides}, targets)
	join := joined([]column{x, y}, panel.Targets)
	// The step is needed to join the points of a variant. In the table it would be a column
	// without a title.
	maps.Copy(join[1].Options["excludeByName"].(map[string]any), map[string]any{"step": true})
	panel.Transformations = append(join,
		transformation{"sortBy", map[string]any{"fields": map[string]any{}, "sort": []any{map[string]any{"field": x.header, "desc": false}}}},
		transformation{"partitionByValues", map[string]any{
			"fields": []string{"variant"}, "keepFields": false, "naming": map[string]any{"asLabels": true},
		}})
	return panel
}
