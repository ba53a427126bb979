package html

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
)

// scale is the scale of an axis.
type scale struct {
	Title     string
	Low, High float64
	// Log means that the scale is logarithmic. Low is above 0 then.
	Log    bool
	Format func(float64) string
}

// wide is the ratio from which an axis is logarithmic. Below it, a linear axis shows
// differences better.
const wide = 5

// fit returns a scale with room for all values: logarithmic if they span a wide range,
// otherwise linear from 0.
func fit(title string, values []float64, words func(float64) string) scale {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) })
	if len(values) == 0 {
		return scale{Title: title, High: 1, Format: words}
	}
	low, high := slices.Min(values), slices.Max(values)
	if high/low >= wide {
		const room = 1.25
		return scale{Title: title, Low: low / room, High: high * room, Log: true, Format: words}
	}
	return fromZero(title, high, words)
}

// fromZero returns a linear scale from 0 to a little above the greatest value.
func fromZero(title string, greatest float64, words func(float64) string) scale {
	const room = 1.08
	if !(greatest > 0) {
		greatest = 1
	}
	return scale{Title: title, High: greatest * room, Format: words}
}

// mostTicks is the maximum number of ticks, so that labels do not overlap on a phone.
const mostTicks = 6

// Ticks returns ticks at round numbers, few enough that their labels don't touch.
func (s scale) Ticks(low, high float64) []plot.Tick {
	values := linear(low, high)
	if s.Log {
		values = logarithmic(low, high)
	}
	ticks := make([]plot.Tick, len(values))
	for i, value := range values {
		ticks[i] = plot.Tick{Value: value, Label: s.Format(value)}
	}
	return ticks
}

// linear returns multiples of 1, 2 or 5 times a power of ten.
func linear(low, high float64) []float64 {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/mostTicks)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if span/(step*factor) <= mostTicks {
			step *= factor
			break
		}
	}
	var values []float64
	for i := math.Ceil(low / step); i*step <= high; i++ {
		values = append(values, i*step)
	}
	return values
}

// logarithmic returns 1, 2 and 5 times powers of ten. Over many powers it returns only the
// powers, or every second or third of them.
func logarithmic(low, high float64) []float64 {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	for _, choice := range []struct {
		factors []float64
		every   float64
	}{{[]float64{1, 2, 5}, 1}, {[]float64{1, 3}, 1}, {[]float64{1}, 1}, {[]float64{1}, 2}, {[]float64{1}, 3}} {
		var values []float64
		for power := first; power <= last; power += choice.every {
			for _, factor := range choice.factors {
				if v := factor * math.Pow(10, power); v >= low && v <= high {
					values = append(values, v)
				}
			}
		}
		if len(values) <= mostTicks {
			return values
		}
	}
	return []float64{low, high}
}
