package html

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func plain(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		name      string
		low, high float64
		log       bool
		want      string
	}{
		{"from zero to a few", 0, 5, false, "0 1 2 3 4 5"},
		{"where only the next power of ten is few enough", 0, 58, false, "0 10 20 30 40 50"},
		{"within less than one", 0, 0.26, false, "0 0.05 0.1 0.15 0.2 0.25"},
		{"by ratio over two powers of ten", 1.8, 95, true, "2 5 10 20 50"},
		{"by ratio over many powers of ten", 0.5, 2e5, true, "1 10 100 1000 1e+04 1e+05"},
		{"over nothing", 3, 3, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var labels []string
			for _, tick := range (scale{Log: test.log, Format: plain}).Ticks(test.low, test.high) {
				labels = append(labels, tick.Label)
			}
			if diff := cmp.Diff(test.want, strings.Join(labels, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTicksAreFew(t *testing.T) {
	for exponent := -6.0; exponent < 9; exponent += .01 {
		high := math.Pow(10, exponent)
		if n := len(fromZero("", high, plain).Ticks(0, high)); n < 3 || n > mostTicks+1 {
			t.Errorf("from 0 to %g there are %d ticks", high, n)
		}
	}
}

func TestScaleIsLogarithmicForWideRange(t *testing.T) {
	if fit("", []float64{1, 4.9}, plain).Log || !fit("", []float64{1, 5}, plain).Log {
		t.Error("scales should be logarithmic from a ratio of 5")
	}
	if s := fit("", []float64{0, math.Inf(1), math.NaN()}, plain); s.Log || s.High <= s.Low {
		t.Errorf("without values that can be drawn the scale is %+v", s)
	}
}

func TestDrawingUsesPalette(t *testing.T) {
	svg := curveChart{
		X: fit("load", []float64{1, 40}, plain), Y: fit("", []float64{1, 40}, plain), Limit: 10, LimitLabel: "objective",
		Lines: []curve{
			{Label: "<500m>", Series: 0, Points: []curvePoint{{X: 2, Y: 3, Low: 2, High: 9}, {X: 4, Y: 5}}, Beyond: []float64{9}},
			{Label: "1", Series: 7, Points: []curvePoint{{X: 3, Y: 3}}},
		},
	}.SVG(dimensions{Width: 300, Height: 200}, altText{ID: "a", Title: "p95 & load", Description: "two <curves>"})
	for _, want := range []string{
		`role="img" aria-labelledby="a-title a-desc"`, "p95 &amp; load", "two &lt;curves&gt;", "&lt;500m&gt;",
		"var(--series-1)", "var(--series-2)", "var(--limit)", "var(--grid)", "var(--muted)", "stroke-dasharray",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing has no %s", want)
		}
	}
	if strings.Contains(svg, "#0102") || strings.Contains(svg, "font-family") {
		t.Error("the drawing has its own colours or fonts")
	}
}
