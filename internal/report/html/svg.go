package html

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hashmark-dev/hashmark/internal/units"
)

// altText describes a chart for readers who can't see it. The ID is unique in the page.
type altText struct{ ID, Title, Description string }

// dimensions are in CSS pixels, if the page does not scale the chart.
type dimensions struct{ Width, Height float64 }

// textSize is the size of labels in CSS pixels. It is also legible on a phone, where charts
// are a little smaller.
const textSize = 12.5

var sans = font.Font{Typeface: "Liberation", Variant: "Sans", Size: textSize}

func textStyle(place int) text.Style {
	return text.Style{Color: tone(place), Handler: plot.DefaultTextHandler, Font: sans}
}

func stroke(points plotter.XYs, place int, width vg.Length, dashes ...vg.Length) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: tone(place), Width: width, Dashes: dashes}}
}

func newPlot(x, y scale) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x.Low, x.High, y.Low, y.High
	styleAxis(&p.X, x)
	styleAxis(&p.Y, y)
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = nil, tone(grid)
	lines.Horizontal.Width = 1
	p.Add(lines)
	return p
}

// styleAxis sets the scale and the style of an axis. Titles of vertical axes would be
// rotated, so they are empty, and pages have them in the heading instead.
func styleAxis(axis *plot.Axis, s scale) {
	axis.Tick.Marker = s
	axis.Tick.Label.Font, axis.Label.TextStyle.Font = sans, sans
	axis.Tick.Label.Color, axis.Label.TextStyle.Color = tone(muted), tone(muted)
	axis.Tick.Color, axis.Color = tone(muted), tone(muted)
	axis.Tick.Width, axis.Width, axis.Tick.Length = 1, 1, 4
	axis.Padding = 0
	axis.Label.Text = s.Title
	axis.Label.Padding = 4
	if s.Log {
		axis.Scale = plot.LogScale{}
	}
}

var (
	prelude = regexp.MustCompile(`(?s)^.*?<svg[^>]*>`)
	fonts   = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:[^;"]*;font-style:[^;"]*;`)
)

func render(p *plot.Plot, size dimensions, right float64, alt altText) string {
	canvas := vgsvg.NewWith(vgsvg.UseWH(vg.Length(size.Width), vg.Length(size.Height)))
	p.Draw(draw.Crop(draw.New(canvas), 2, -vg.Length(right), 2, -8))
	var drawn bytes.Buffer
	_, _ = canvas.WriteTo(&drawn) // a buffer does not fail
	body := fonts.ReplaceAllString(prelude.ReplaceAllString(drawn.String(), ""), "")
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="%[1]s-title %[1]s-desc" viewBox="0 0 %[2]g %[3]g"><title id="%[1]s-title">%[4]s</title><desc id="%[1]s-desc">%[5]s</desc>`,
		html.EscapeString(alt.ID), size.Width, size.Height, html.EscapeString(alt.Title), html.EscapeString(alt.Description))
	return units.Plain(head + strings.TrimSpace(paint(body))) // XML does not allow everything that can come from names
}

type colour struct {
	// The name of the CSS custom property without dashes, such as ink.
	Name string
	// The colours as #RRGGBB on a light and on a dark page.
	Light, Dark string
}

// The indexes in palette.
const (
	ink = iota
	muted
	grid
	limit
	firstSeries
)

const backgroundTone = "page"

// palette are the colours of all charts. The series are those of Okabe and Ito
// (https://jfly.uni-koeln.de/color/), which people with colour blindness can distinguish.
// On a light page they are darkened, and on a dark page blue is lightened, until each has a
// contrast of 3 with the page, as WCAG 2.2 requires for graphics (1.4.11).
var palette = []colour{
	{"ink", "#1b1f24", "#e8eaed"},
	{"muted", "#57606a", "#a8b0b9"},
	{"grid", "#dfe3e8", "#343a42"},
	{"limit", "#b3261e", "#ff8a80"},
	{"series-1", "#0072b2", "#56b4e9"},
	{"series-2", "#b85000", "#e69f00"},
	{"series-3", "#007a5a", "#2fc79b"},
	{"series-4", "#a3497c", "#e79ac4"},
	{"series-5", "#75640a", "#f0e442"},
	{"series-6", "#4a4f57", "#d0d4da"},
	{backgroundTone, "#ffffff", "#15181c"},
}

// series is the number of curves with different colours, marks and dashes.
const series = 6

// tone returns a placeholder colour, which paint replaces with the tone's name.
func tone(place int) color.Color { return color.NRGBA{R: 1, G: 2, B: uint8(place), A: 255} }

// paint replaces the placeholder colours of an SVG with those of the page.
func paint(svg string) string {
	var pairs []string
	for place, t := range palette {
		pairs = append(pairs, fmt.Sprintf(":#0102%02X", place), ":var(--"+t.Name+")")
	}
	return strings.NewReplacer(pairs...).Replace(svg)
}
