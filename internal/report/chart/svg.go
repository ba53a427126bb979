package chart

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Words tell of a drawing to whoever can't see it.
type Words struct {
	// What begins the identifiers of its parts; unlike any other of the page.
	ID string
	// What the drawing is, and what is to be seen in it, in numbers.
	Title, Description string
}

// Size is how large a drawing is, in CSS pixels where it is shown as it is.
type Size struct{ Width, Height float64 }

// textSize is that of labels in CSS pixels: legible where a phone shows the
// drawing a little smaller.
const textSize = 12.5

func newPlot(x, y Scale) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x.Low, x.High, y.Low, y.High
	dress(&p.X, x)
	dress(&p.Y, y)
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = nil, tone(grid)
	lines.Horizontal.Width = 1
	p.Add(lines)
	return p
}

// dress gives an axis its scale and its looks. The title of a vertical axis lies
// on its side, so pages put it into the heading: it is left out there.
func dress(axis *plot.Axis, s Scale) {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Size: textSize}
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

// render draws the plot, with room on its right for labels.
func render(p *plot.Plot, size Size, right float64, words Words) string {
	canvas := vgsvg.NewWith(vgsvg.UseWH(vg.Length(size.Width), vg.Length(size.Height)))
	p.Draw(draw.Crop(draw.New(canvas), 2, -vg.Length(right), 2, -8))
	var drawn bytes.Buffer
	_, _ = canvas.WriteTo(&drawn) // a buffer takes everything
	body := fonts.ReplaceAllString(prelude.ReplaceAllString(drawn.String(), ""), "")
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="%[1]s-title %[1]s-desc" viewBox="0 0 %[2]g %[3]g"><title id="%[1]s-title">%[4]s</title><desc id="%[1]s-desc">%[5]s</desc>`,
		html.EscapeString(words.ID), size.Width, size.Height, html.EscapeString(words.Title), html.EscapeString(words.Description))
	return legible(head + strings.TrimSpace(paint(body)))
}

// legible puts the replacement character in the place of what no SVG may hold,
// wherever a name brought it in.
func legible(svg string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\uFFFE' || r == '\uFFFF' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(svg, string(unicode.ReplacementChar)))
}
