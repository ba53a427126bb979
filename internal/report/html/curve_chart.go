package html

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type curvePoint struct {
	X, Y float64
	// The ends of the interval; both are 0 if it is unknown.
	Low, High float64
}

type curve struct {
	Label string
	// Series selects colour, marks and dashes.
	Series int
	// Points are from left to right. Beyond are the places whose value would be above the chart: crosses at the top.
	Points []curvePoint
	Beyond []float64
}

type curveChart struct {
	X, Y  scale
	Lines []curve
	// 0 means that there is no limit.
	Limit      float64
	LimitLabel string
}

var (
	dashes = [series][]vg.Length{nil, {6, 3}, {2, 3}, {8, 3, 2, 3}, {4, 2}, {1, 2}}
	marks  = [series]draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	}
)

func (c curveChart) SVG(size dimensions, alt altText) string {
	p := newPlot(c.X, c.Y)
	c.addLimit(p)
	for _, line := range c.Lines {
		line.add(p, c.Y.High)
	}
	p.Add(endLabels(c))
	const room = 62
	return render(p, size, room, alt)
}

func (c curveChart) addLimit(p *plot.Plot) {
	if c.Limit <= 0 {
		return
	}
	p.Add(stroke(plotter.XYs{{X: c.X.Low, Y: c.Limit}, {X: c.X.High, Y: c.Limit}}, limit, 1.5, 7, 4), note(c))
}

// add adds the line with its points, their intervals, and the crosses at the top.
func (c curve) add(p *plot.Plot, top float64) {
	mark := c.Series % series
	place := firstSeries + mark
	points := make(plotter.XYs, len(c.Points))
	for i, point := range c.Points {
		points[i] = plotter.XY{X: point.X, Y: point.Y}
	}
	p.Add(stroke(points, place, 1.75, dashes[mark]...), intervals{points: c.Points, place: place})
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: tone(place), Radius: 3.5, Shape: marks[mark]}})

	beyond := make(plotter.XYs, len(c.Beyond))
	for i, x := range c.Beyond {
		beyond[i] = plotter.XY{X: x, Y: top}
	}
	p.Add(&plotter.Scatter{XYs: beyond, GlyphStyle: draw.GlyphStyle{Color: tone(place), Radius: 4.5, Shape: draw.CrossGlyph{}}})
	if len(points) > 0 && len(beyond) > 0 {
		p.Add(stroke(plotter.XYs{points[len(points)-1], beyond[0]}, place, 1, 1, 3))
	}
}

type intervals struct {
	points []curvePoint
	place  int
}

func (v intervals) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: tone(v.place), Width: 1}
	const cap = 3
	for _, point := range v.points {
		if point.High <= 0 {
			continue
		}
		at := x(point.X)
		low, high := y(math.Max(point.Low, p.Y.Min)), y(math.Min(point.High, p.Y.Max))
		c.StrokeLine2(style, at, low, at, high)
		c.StrokeLine2(style, at-cap, low, at+cap, low)
		c.StrokeLine2(style, at-cap, high, at+cap, high)
	}
}

// note is the label of the limit to the right of the chart, where it can't cover the curves.
type note curveChart

func (n note) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	c.FillText(textStyle(limit), vg.Point{X: c.Max.X + 3, Y: y(n.Limit) - textSize/3}, n.LimitLabel)
}

// endLabels are the labels at the ends of the curves. They are moved up if they would
// overlap with each other or with the label of the limit.
type endLabels curveChart

func (l endLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	// The font of the page can be wider than the one that is measured here.
	const gap = 8
	type label struct {
		at    vg.Point
		width vg.Length
		text  string
	}
	var labels []label
	for _, curve := range l.Lines {
		if end, ok := curve.end(p.Y.Max); ok {
			at := vg.Point{X: x(end.X) + 7, Y: y(end.Y) - textSize/3}
			labels = append(labels, label{at, textStyle(ink).Width(curve.Label) + gap, curve.Label})
		}
	}
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.at.Y, b.at.Y) })
	for i := range labels {
		for _, below := range labels[:i] {
			apart := labels[i].at.X > below.at.X+below.width || below.at.X > labels[i].at.X+labels[i].width
			if !apart && labels[i].at.Y < below.at.Y+textSize {
				labels[i].at.Y = below.at.Y + textSize
			}
		}
		if above := labels[i].at.Y - (y(l.Limit) - textSize/3); l.Limit > 0 && labels[i].at.X+labels[i].width > c.Max.X && math.Abs(float64(above)) < textSize {
			labels[i].at.Y += textSize - above
		}
		c.FillText(textStyle(ink), labels[i].at, labels[i].text)
	}
}

// end returns the last point, or the place at the top if the whole curve is above the chart.
func (c curve) end(top float64) (curvePoint, bool) {
	switch {
	case len(c.Points) > 0:
		return c.Points[len(c.Points)-1], true
	case len(c.Beyond) > 0:
		return curvePoint{X: c.Beyond[len(c.Beyond)-1], Y: top}, true
	default:
		return curvePoint{}, false
	}
}
