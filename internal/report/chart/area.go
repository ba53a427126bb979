package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Area is a row of bars of equal width without gaps: how often values lie in
// each bucket, or how much there is at each moment.
type Area struct {
	X, Y Scale
	// Where the first bar begins and the last one ends.
	Low, High float64
	// The bars' heights.
	Values []float64
	// Upright lines that mark a place, each with what it is called.
	Marks []Mark
}

// Mark is an upright line.
type Mark struct {
	At    float64
	Label string
	// True of what should not be exceeded.
	Limit bool
}

// SVG draws the bars.
func (a Area) SVG(size Size, words Words) string {
	p := newPlot(a.X, a.Y)
	p.Add(bars(a))
	for _, mark := range a.Marks {
		if mark.At > a.X.High {
			continue
		}
		place := ink
		if mark.Limit {
			place = limit
		}
		line := &plotter.Line{XYs: plotter.XYs{{X: mark.At, Y: a.Y.Low}, {X: mark.At, Y: a.Y.High}}}
		line.Color, line.Width, line.Dashes = tone(place), 1.5, []vg.Length{5, 3}
		p.Add(line, beside{mark, place})
	}
	const room = 14
	return render(p, size, room, words)
}

// bars are drawn as one shape, which keeps a page of many drawings small.
type bars Area

// Plot implements plot.Plotter.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if len(b.Values) == 0 {
		return
	}
	width := (b.High - b.Low) / float64(len(b.Values))
	var shape vg.Path
	shape.Move(vg.Point{X: x(b.Low), Y: y(0)})
	for i, value := range b.Values {
		left, right := b.Low+float64(i)*width, b.Low+float64(i+1)*width
		shape.Line(vg.Point{X: x(left), Y: y(value)})
		shape.Line(vg.Point{X: x(right), Y: y(value)})
	}
	shape.Line(vg.Point{X: x(b.High), Y: y(0)})
	shape.Close()
	c.SetColor(tone(firstSeries))
	c.Fill(shape)
}

// beside is a mark's name, on the side of it where there is room.
type beside struct {
	mark  Mark
	place int
}

// Plot implements plot.Plotter.
func (b beside) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	style := textStyle(b.place)
	at := vg.Point{X: x(b.mark.At) + 4, Y: c.Max.Y - textSize}
	if b.mark.Limit {
		at.Y -= textSize + 2
	}
	if width := style.Width(b.mark.Label); at.X+width > c.Max.X {
		at.X -= width + 8
	}
	c.FillText(style, at, b.mark.Label)
}
