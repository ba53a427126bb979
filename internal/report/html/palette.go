package html

import (
	"fmt"
	"image/color"
	"strings"
)

// Tone is a named colour of the page, for both themes.
type Tone struct {
	// The name of the CSS custom property without dashes, such as ink.
	Name string
	// The colours as #RRGGBB on a light and on a dark page.
	Light, Dark string
}

// The indexes in Tones.
const (
	ink = iota
	muted
	grid
	limit
	firstSeries
)

// backgroundTone is the background, which charts do not draw.
const backgroundTone = "page"

// Tones are the colours of all charts. The series are those of Okabe and Ito
// (https://jfly.uni-koeln.de/color/), which people with colour blindness can distinguish.
// On a light page they are darkened, and on a dark page blue is lightened, until each has a
// contrast of 3 with the page, as WCAG 2.2 requires for graphics (1.4.11).
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
	{backgroundTone, "#ffffff", "#15181c"},
}

// series is the number of curves with different colours, marks and dashes.
const series = 6

// tone returns a placeholder colour, which paint replaces with the tone's name.
func tone(place int) color.Color { return color.NRGBA{R: 1, G: 2, B: uint8(place), A: 255} }

// paint replaces the placeholder colours of an SVG with those of the page.
func paint(svg string) string {
	var pairs []string
	for place, t := range Tones {
		pairs = append(pairs, fmt.Sprintf(":#0102%02X", place), ":var(--"+t.Name+")")
	}
	return strings.NewReplacer(pairs...).Replace(svg)
}
