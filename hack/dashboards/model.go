package dashboards

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// schemaVersion is that of Grafana 11.0. Later versions migrate it on load.
const schemaVersion = 39

// Dashboard is a page of panels, in sections.
type Dashboard struct {
	// UID never changes, since links and bookmarks contain it.
	UID string
	// Title and Description are shown in the list of dashboards.
	Title, Description string
	// From is the start of the default time range, such as now-6h.
	From string
	// Refresh is the refresh interval.
	Refresh string
	// Variables of its queries, in the order of selection.
	Variables []variable
	// Annotations are shown in every panel over time.
	Annotations []annotation
	// Sections from top to bottom.
	Sections []section
}

// section is a row of the page with the panels below it, which are placed from left to
// right and then down.
type section struct {
	title  string
	panels []Panel
}

// Panel is one panel with its queries.
type Panel struct {
	ID              int              `json:"id"`
	Type            string           `json:"type"`
	Title           string           `json:"title"`
	Description     string           `json:"description"`
	Datasource      *source          `json:"datasource,omitempty"`
	Position        position         `json:"gridPos"`
	Interval        string           `json:"interval,omitempty"`
	Targets         []target         `json:"targets,omitempty"`
	Transformations []transformation `json:"transformations,omitempty"`
	Fields          fieldConfig      `json:"fieldConfig"`
	Options         any              `json:"options"`
}

// row is the heading of a section.
type row struct {
	ID        int      `json:"id"`
	Type      string   `json:"type"`
	Title     string   `json:"title"`
	Collapsed bool     `json:"collapsed"`
	Position  position `json:"gridPos"`
	Panels    []Panel  `json:"panels"`
}

// position on a grid of 24 columns.
type position struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

// columns of Grafana's grid.
const columns = 24

type source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// prometheus is the data source that is selected at the top of the page.
var prometheus = source{Type: "prometheus", UID: "${datasource}"}

// target is a query of a panel. Instant queries are evaluated at the end of the time range,
// the others over all of it.
type target struct {
	Datasource source `json:"datasource"`
	RefID      string `json:"refId"`
	Expr       string `json:"expr"`
	Legend     string `json:"legendFormat,omitempty"`
	Format     string `json:"format"`
	Instant    bool   `json:"instant"`
	Range      bool   `json:"range"`

	mayBeEmpty string
}

type transformation struct {
	ID      string         `json:"id"`
	Options map[string]any `json:"options"`
}

// list is how Grafana wraps some lists.
type list[T any] struct {
	List []T `json:"list"`
}

// JSON lays out the sections, numbers their panels, and returns the JSON that Grafana
// loads. Each value is on its own line, so that changes are readable.
func (d Dashboard) JSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d.page()); err != nil {
		return nil, fmt.Errorf("encoding the dashboard %s: %w", d.Title, err)
	}
	return text.Bytes(), nil
}

// page is a dashboard in Grafana's format.
type page struct {
	UID           string           `json:"uid"`
	Title         string           `json:"title"`
	Description   string           `json:"description"`
	Tags          []string         `json:"tags"`
	SchemaVersion int              `json:"schemaVersion"`
	Editable      bool             `json:"editable"`
	GraphTooltip  int              `json:"graphTooltip"`
	Refresh       string           `json:"refresh"`
	Time          timeRange        `json:"time"`
	Timezone      string           `json:"timezone"`
	Links         []link           `json:"links"`
	Annotations   list[annotation] `json:"annotations"`
	Templating    list[variable]   `json:"templating"`
	Panels        []any            `json:"panels"`
}

func (d Dashboard) page() page {
	return page{
		UID: d.UID, Title: d.Title, Description: d.Description, Tags: []string{tag},
		SchemaVersion: schemaVersion, GraphTooltip: sharedCrosshair, Refresh: d.Refresh,
		Time: timeRange{From: d.From, To: "now"}, Timezone: "browser", Links: links(),
		Annotations: list[annotation]{d.Annotations}, Templating: list[variable]{d.Variables}, Panels: d.layout(),
	}
}

type timeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// sharedCrosshair shows the time under the pointer in every panel.
const sharedCrosshair = 1

// layout places the sections below each other, and the panels of a section next to each
// other as long as they fit.
func (d Dashboard) layout() []any {
	var elements []any
	y := 0
	for _, s := range d.Sections {
		elements = append(elements, row{
			ID: len(elements) + 1, Type: "row", Title: s.title, Panels: []Panel{}, Position: position{H: 1, W: columns, Y: y},
		})
		y++
		x, tallest := 0, 0
		for _, panel := range s.panels {
			if x+panel.Position.W > columns {
				x, y, tallest = 0, y+tallest, 0
			}
			panel.ID, panel.Position.X, panel.Position.Y = len(elements)+1, x, y
			x, tallest = x+panel.Position.W, max(tallest, panel.Position.H)
			elements = append(elements, panel)
		}
		y += tallest
	}
	return elements
}
