// Package units says numbers as people do: 556ms, 8.2/s, +12 %. What is
// absent reads as an empty string, never as 0.
//
// It is for reading only. What computes with a number takes the number, in the
// unit that its field names.
package units

import (
	"fmt"
	"strconv"
	"strings"
)

// Rate reads a rate that is kept times 1000: 0.43/s, 8.2/s, 17/s, 103/s.
func Rate(milli *int64) string {
	if milli == nil {
		return ""
	}
	return Number(float64(*milli)/1000) + "/s"
}

// Latency reads a time in microseconds: 980µs, 556ms, 1.23s.
func Latency(microseconds *int64) string {
	if microseconds == nil {
		return ""
	}
	switch us := *microseconds; {
	case us < 1000:
		return fmt.Sprintf("%dµs", us)
	case us < 999_500: // from here on three digits say 1s
		return Number(float64(us)/1e3) + "ms"
	default:
		return Number(float64(us)/1e6) + "s"
	}
}

// Difference reads a share in thousandths with its sign: +12 %, −3.4 %, ±0 %.
func Difference(perMille *int64) string {
	if perMille == nil {
		return ""
	}
	switch share := *perMille; {
	case share > 0:
		return "+" + Number(float64(share)/10) + " %"
	case share < 0:
		return "−" + Number(float64(-share)/10) + " %"
	default:
		return "±0 %"
	}
}

// Number has three digits and, from 1 on, two decimals at the most, without
// trailing zeros: as much as a person would say.
func Number(x float64) string {
	decimals := 0
	switch {
	case x < 1:
		return strconv.FormatFloat(x, 'g', 2, 64)
	case x < 9.995:
		decimals = 2
	case x < 99.95:
		decimals = 1
	}
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
