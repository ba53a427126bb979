package html

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// timeChart are values over time in several periods, with a level that they are compared
// with.
type timeChart struct {
	X, Y       scale
	Level      float64
	LevelLabel string
	// The ends of a band that has most values. It is not drawn if they are equal.
	Low, High           float64
	LowLabel, HighLabel string
	All                 []chartPeriod
}

type chartPeriod struct {
	Label string
	// Series selects the colour.
	Series     int
	Dots, Line plotter.XYs
}

const labelHeight = textSize + 3

func (s timeChart) SVG(size dimensions, alt altText) string {
	const right, axes = 92, 50
	rows := s.rows(vg.Length(size.Width - right - axes))
	if len(rows) > 0 {
		// The labels are above the values.
		share := labelHeight * float64(slices.Max(rows)+1) / math.Max(1, size.Height-axes)
		s.Y.High += (s.Y.High - s.Y.Low) * share / math.Max(0.1, 1-share)
	}
	p := newPlot(s.X, s.Y)
	p.Add(band(s), levelLine(s))
	for i, period := range s.All {
		p.Add(period, heading{period, rows[i]})
	}
	return render(p, size, right, alt)
}

// rows returns the row of each label: the lowest one in which it does not touch another.
func (s timeChart) rows(width vg.Length) []int {
	// The font of the page can be wider than the one that is measured here.
	const gap = 14
	var ends []vg.Length
	rows := make([]int, len(s.All))
	for i, period := range s.All {
		at := width * vg.Length((period.begin()-s.X.Low)/math.Max(1e-9, s.X.High-s.X.Low))
		row := slices.IndexFunc(ends, func(end vg.Length) bool { return end < at })
		if row < 0 {
			row, ends = len(ends), append(ends, 0)
		}
		rows[i], ends[row] = row, at+textStyle(ink).Width(period.Label)+gap
	}
	return rows
}

func (s chartPeriod) begin() float64 {
	begin := math.Inf(1)
	for _, point := range slices.Concat(s.Dots, s.Line) {
		begin = math.Min(begin, point.X)
	}
	return begin
}

func (s chartPeriod) Plot(c draw.Canvas, p *plot.Plot) {
	place := firstSeries + s.Series%series
	stroke(s.Line, place, 1.25).Plot(c, p)
	// All dots are one shape, which keeps pages with many charts small.
	x, y := p.Transforms(&c)
	const half = 1.5
	var dots vg.Path
	for _, dot := range s.Dots {
		at := vg.Point{X: x(dot.X), Y: y(dot.Y)}
		dots.Move(vg.Point{X: at.X - half, Y: at.Y})
		dots.Line(vg.Point{X: at.X, Y: at.Y + half})
		dots.Line(vg.Point{X: at.X + half, Y: at.Y})
		dots.Line(vg.Point{X: at.X, Y: at.Y - half})
		dots.Close()
	}
	if len(dots) > 0 {
		c.SetColor(tone(place))
		c.Fill(dots)
	}
}

// heading is the label above the start of a period, with a line down to its values.
type heading struct {
	period chartPeriod
	row    int
}

func (h heading) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	at := vg.Point{X: x(h.period.begin()), Y: c.Max.Y - labelHeight*vg.Length(h.row+1) + 2}
	c.StrokeLine2(draw.LineStyle{Color: tone(firstSeries + h.period.Series%series), Width: 1, Dashes: []vg.Length{1, 3}}, at.X, c.Min.Y, at.X, at.Y+textSize)
	c.FillText(textStyle(ink), vg.Point{X: at.X + 3, Y: at.Y}, h.period.Label)
}

type band timeChart

func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	if b.High <= b.Low {
		return
	}
	_, y := p.Transforms(&c)
	c.FillPolygon(tone(grid), []vg.Point{
		{X: c.Min.X, Y: y(b.Low)}, {X: c.Max.X, Y: y(b.Low)}, {X: c.Max.X, Y: y(b.High)}, {X: c.Min.X, Y: y(b.High)},
	})
	for _, end := range []float64{b.Low, b.High} {
		c.StrokeLine2(draw.LineStyle{Color: tone(muted), Width: 1, Dashes: []vg.Length{4, 3}}, c.Min.X, y(end), c.Max.X, y(end))
	}
}

// levelLine is the line of the level, with the labels of the level and of the band's ends on
// the right. They are moved apart if they would touch.
type levelLine timeChart

func (l levelLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: tone(ink), Width: 1}, c.Min.X, y(l.Level), c.Max.X, y(l.Level))
	text := func(height vg.Length, words string, place int) {
		c.FillText(textStyle(place), vg.Point{X: c.Max.X + 4, Y: height - textSize/3}, words)
	}
	text(y(l.Level), l.LevelLabel, ink)
	if l.High > l.Low {
		text(max(y(l.High), y(l.Level)+labelHeight), l.HighLabel, muted)
		text(min(y(l.Low), y(l.Level)-labelHeight), l.LowLabel, muted)
	}
}
