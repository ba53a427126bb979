package html

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barChart is a series of bars of equal width without gaps: the number of values in each
// bucket, or a value at each moment.
type barChart struct {
	X, Y scale
	// The start of the first bar and the end of the last one.
	Low, High float64
	Values    []float64
	Marks     []marker
}

// marker is a vertical line.
type marker struct {
	At    float64
	Label string
	Limit bool
}

func (a barChart) SVG(size dimensions, alt altText) string {
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
		p.Add(stroke(plotter.XYs{{X: mark.At, Y: a.Y.Low}, {X: mark.At, Y: a.Y.High}}, place, 1.5, 5, 3), markLabel{mark, place})
	}
	const room = 14
	return render(p, size, room, alt)
}

// bars are drawn as one shape, which keeps pages with many charts small.
type bars barChart

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

// markLabel is a mark's label, on the side of the mark where there is room.
type markLabel struct {
	mark  marker
	place int
}

func (b markLabel) Plot(c draw.Canvas, p *plot.Plot) {
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
