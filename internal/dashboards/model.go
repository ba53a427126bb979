package dashboards

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// schemaVersion is that of Grafana 11.0. Later ones migrate it when they load it.
const schemaVersion = 39

// Dashboard is a page of panels, in sections.
type Dashboard struct {
	// UID stays the same for ever: links and bookmarks hold it.
	UID string
	// Title and Description are shown to who looks for it.
	Title, Description string
	// From is how far back it looks at first, such as now-6h.
	From string
	// Refresh is how often it asks again.
	Refresh string
	// Variables that its queries take, in the order of choosing.
	Variables []variable
	// Annotations are marked in every panel over time.
	Annotations []annotation
	// Sections from top to bottom.
	Sections []section
}

// section is a row of the page with the panels under it, which flow from left
// to right and then down.
type section struct {
	title  string
	panels []Panel
}

// Panel is one picture with what it asks.
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

// row is the line above a section.
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

// prometheus is the datasource that was chosen at the top of the page.
var prometheus = source{Type: "prometheus", UID: "${datasource}"}

// target is a query of a panel. One that is instant is asked at the end of the
// time that is looked at; the others over all of it.
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

// list is how Grafana wraps what may grow.
type list[T any] struct {
	List []T `json:"list"`
}

// JSON lays the sections out, numbers their panels, and gives what Grafana
// loads, a line a value so that a change of it can be read.
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

// page is a dashboard as Grafana has it.
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

// sharedCrosshair shows the moment under the pointer in every panel.
const sharedCrosshair = 1

// layout places each section under the last one, and its panels side by side as
// long as they fit.
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
