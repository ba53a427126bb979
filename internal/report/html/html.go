package html

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/chart"
)

//go:embed page.tmpl
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is what the template lays out.
type page struct {
	report.Document
	// The style of the page, with the palette in both themes.
	Style template.CSS
	// What the page has, in its order: a heading each.
	Parts []part
	// How to measure again.
	Again []string
}

// part is a section of the page: words and a table, a figure, or both.
type part struct {
	ID string
	report.Section
	Maps    []heatMap
	Figures []figure
	// The experiment as YAML, under how it was measured.
	Manifest string
}

// Write writes the report as HTML.
func Write(w io.Writer, d report.Document) error {
	return pageTemplate.Execute(w, page{Document: d, Style: style(), Parts: parts(d), Again: again(d)})
}

// measured is the title of the section that the drawings follow: they show what its
// table tells.
const measured = "Variants"

// parts are the report's sections with the drawings after the variants, or where
// there are no variants, at the end.
func parts(d report.Document) []part {
	var all []part
	drawn := drawings(d)
	for _, section := range d.Sections() {
		next := part{ID: identifier(section.Title), Section: section}
		if section.Title == report.SpeedTitle {
			next.Figures = speedFigures(d)
		}
		all = append(all, next)
		if section.Title == measured {
			all, drawn = append(all, drawn...), nil
		}
	}
	all = append(all, drawn...)
	if d.Method.Manifest != "" {
		all = append(all, part{
			ID: "again", Section: report.Section{Title: "Measure it again"}, Manifest: d.Method.Manifest,
		})
	}
	return all
}

// drawings are what is drawn; those that have nothing to show are left out.
func drawings(d report.Document) []part {
	var all []part
	if maps := heatMaps(d); len(maps) > 0 {
		all = append(all, part{ID: "map", Section: report.Section{
			Title: "Capacity by cost and CPU limit",
			Paragraphs: []string{"The highest rate of logins that meets the objective. The stronger the colour, the more. " +
				"A hatched cell with a dashed edge was predicted by the model and not measured."},
		}, Maps: maps})
	}
	for _, drawn := range []part{latencyPart(d), distributionPart(d), underWayPart(d), throttlingPart(d)} {
		if len(drawn.Figures) > 0 {
			all = append(all, drawn)
		}
	}
	return all
}

// again are the commands that ask the same question once more.
func again(d report.Document) []string {
	namespace := ""
	if d.Experiment.Namespace != "" {
		namespace = " -n " + d.Experiment.Namespace
	}
	return []string{
		"kubectl delete szx" + namespace + " " + d.Experiment.Name + "   # where it is still there",
		"kubectl apply -f experiment.yaml",
		"kubectl wait --for=condition=Finished --timeout=24h" + namespace + " szx/" + d.Experiment.Name,
		"kubectl hashmark report" + namespace + " " + d.Experiment.Name + " -o html > report.html",
	}
}

// identifier of a heading: lower-case letters and digits, joined by dashes.
func identifier(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return "part-" + strings.Join(words, "-")
}

// style is the page's style, after the palette as custom properties.
func style() template.CSS {
	var light, dark strings.Builder
	for _, tone := range append(chart.Tones, levels...) {
		light.WriteString("--" + tone.Name + ":" + tone.Light + ";")
		dark.WriteString("--" + tone.Name + ":" + tone.Dark + ";")
	}
	//nolint:gosec // nothing of it comes from a user: the palette and the embedded style
	return template.CSS(":root{color-scheme:light dark;" + light.String() + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{" + dark.String() + "}}\n" + pageStyle)
}
