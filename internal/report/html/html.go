package html

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

//go:embed page.tmpl
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"split": split}).Parse(pageText))

// split separates what a cell ends with in parentheses, such as the interval of a number, which is
// shown below it.
func split(cell string) (parts [2]string) {
	begin := strings.LastIndex(cell, " (")
	if begin < 1 || !strings.HasSuffix(cell, ")") {
		return [2]string{cell}
	}
	return [2]string{cell[:begin], cell[begin+2 : len(cell)-1]}
}

type page struct {
	report.Document
	// The style sheet, with the palette for both themes.
	Style template.CSS
	// The parts of the page in their order, each with a heading.
	Parts []part
	// The commands to measure again.
	Again []string
}

// part is a section of the page: text and a table, figures, or both.
type part struct {
	ID string
	report.Section
	Maps    []heatMap
	Figures []figure
	// The experiment as YAML, in the part about measuring again.
	Manifest string
}

// widestTable is the number of columns of a table that leaves room for a list on a wide screen.
const widestTable = 7

// Split reports whether the list is beside the text and the table on a wide screen, and not below.
func (p part) Split() bool {
	return len(p.Items) > 0 && len(p.Paragraphs)+len(p.Lines) > 0 && len(p.Columns) <= widestTable && len(p.Figures) == 0
}

// Write writes the report as HTML.
func Write(w io.Writer, d report.Document) error {
	var text strings.Builder
	if err := pageTemplate.Execute(&text, page{Document: d, Style: style(), Parts: parts(d), Again: again(d)}); err != nil {
		return err
	}
	_, err := io.WriteString(w, units.Plain(text.String()))
	return err
}

// measured is the title of the section that the charts follow, since they show what is in
// its table.
const measured = "Variants"

// parts returns the report's sections with the charts after the variants, or at the end if
// there are no variants.
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

// drawings returns the parts with charts. Empty ones are left out.
func drawings(d report.Document) []part {
	var all []part
	if maps := heatMaps(d); len(maps) > 0 {
		all = append(all, part{ID: "map", Section: report.Section{
			Title: "Capacity by cost and CPU limit",
			Paragraphs: []string{"The highest login rate that meets the objective. A stronger colour is a higher rate. " +
				"A hatched cell with a dashed border was predicted by the model and not measured."},
		}, Maps: maps})
	}
	for _, drawn := range []part{latencyPart(d), distributionPart(d), underWayPart(d), throttlingPart(d)} {
		if len(drawn.Figures) > 0 {
			all = append(all, drawn)
		}
	}
	return all
}

func again(d report.Document) []string {
	namespace, name := "", quoted(d.Experiment.Name)
	if d.Experiment.Namespace != "" {
		namespace = " -n " + quoted(d.Experiment.Namespace)
	}
	return []string{
		"kubectl delete szx" + namespace + " " + name + "   # if it still exists",
		"kubectl apply -f experiment.yaml",
		"kubectl wait --for=condition=Finished --timeout=24h" + namespace + " szx/" + name,
		"kubectl hashmark report" + namespace + " " + name + " -o html > report.html",
	}
}

// quoted returns a text as one word of a shell. The API server accepts only names that need no
// quotes, but a saved report can contain any.
func quoted(text string) string {
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789.-") == "" && text[0] != '-' {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func identifier(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return "part-" + strings.Join(words, "-")
}

func style() template.CSS {
	var light, dark strings.Builder
	for _, tone := range append(palette, levels...) {
		light.WriteString("--" + tone.Name + ":" + tone.Light + ";")
		dark.WriteString("--" + tone.Name + ":" + tone.Dark + ";")
	}
	//nolint:gosec // only the palette and the embedded style, nothing from a user
	return template.CSS(":root{color-scheme:light dark;" + light.String() + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{" + dark.String() + "}}\n" + pageStyle)
}
