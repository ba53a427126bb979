package chart

import (
	"fmt"
	"image/color"
	"strings"
)

// Tone is a colour of the page by its name, in both themes.
type Tone struct {
	// The custom property of CSS without its dashes, such as ink.
	Name string
	// The colours as #RRGGBB on a light and on a dark page.
	Light, Dark string
}

// What a drawing is made of, by place in Tones.
const (
	ink = iota
	muted
	grid
	limit
	firstSeries
)

// page is the background, which drawings leave as it is.
const page = "page"

// Tones are the colours of all drawings. The series are those of Okabe and Ito
// (https://jfly.uni-koeln.de/color/), which people who can't tell some colours
// apart can tell from each other; on a light page they are darkened, and blue
// on a dark page is lightened, until each has three times the page's contrast, as
// WCAG 2.2 asks of graphics (1.4.11).
var Tones = []Tone{
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
	{page, "#ffffff", "#15181c"},
}

// series is how many curves can be told apart by colour, mark and dashes.
const series = 6

// tone is a colour that no page shows: paint puts the tone's name in its place.
func tone(place int) color.Color { return color.NRGBA{R: 1, G: 2, B: uint8(place), A: 255} }

// paint gives an SVG the page's colours.
func paint(svg string) string {
	var pairs []string
	for place, t := range Tones {
		pairs = append(pairs, fmt.Sprintf(":#0102%02X", place), ":var(--"+t.Name+")")
	}
	return strings.NewReplacer(pairs...).Replace(svg)
}
