// Package units formats numbers for people: 556ms, 8.2/s, +12 %. An absent number is an empty
// string, never 0. It also has the rule for texts of others: Plain.
//
// It is only for display. Computations use the numbers themselves, in the unit that the name
// of the field says.
package units

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Rate formats a rate that is stored times 1000: 0.43/s, 8.2/s, 17/s, 103/s.
func Rate(milli *int64) string {
	if milli == nil {
		return ""
	}
	return PerSecond(float64(*milli))
}

// Written returns a number or a text of a spec as the user wrote it.
func Written(value *intstr.IntOrString) string {
	if value == nil {
		return ""
	}
	return value.String()
}

// Share formats a share that is stored in thousandths: 67 %, 58.5 %.
func Share(perMille *int64) string {
	if perMille == nil {
		return ""
	}
	return Number(float64(*perMille)/10) + " %"
}

// PerSecond formats a rate, times 1000, that is known.
func PerSecond(milli float64) string { return Number(milli/1000) + "/s" }

// Latency formats a time in microseconds: 980µs, 556ms, 1.23s.
func Latency(microseconds *int64) string {
	if microseconds == nil {
		return ""
	}
	switch us := *microseconds; {
	case us < 1000:
		return fmt.Sprintf("%dµs", us)
	case us < 999_500: // from here on, three digits round to 1s
		return Number(float64(us)/1e3) + "ms"
	default:
		return Number(float64(us)/1e6) + "s"
	}
}

// Difference formats a share in thousandths with its sign: +12 %, −3.4 %, ±0 %.
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

// Ratio formats a quotient with three significant digits: 0.964, 1.07, 12.3. Below 1 it has one
// more than Number, so that a ratio just below a threshold differs from the threshold.
func Ratio(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// Capital returns a sentence with a capital letter at the beginning.
func Capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }

// Count formats a number of things, such as "1 replica" or "2 replicas".
func Count(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.FormatInt(n, 10) + " " + thing
}

// Number formats a number with three significant digits and, from 1 on, at most two decimals,
// without trailing zeros. Below 1 it has two significant digits.
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
