package html_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast checks the contrast in both themes against WCAG 2.2: 4.5 for text (1.4.3),
// and 3 for graphics (1.4.11).
func TestContrast(t *testing.T) {
	themes := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(written(t, failed()), -1)
	if len(themes) != 2 {
		t.Fatalf("the page has %d themes; it should be a light and a dark one", len(themes))
	}
	for i, theme := range []string{"light", "dark"} {
		colours := map[string]string{}
		for _, match := range regexp.MustCompile(`--([a-z0-9-]+):(#[0-9a-f]{6})`).FindAllStringSubmatch(themes[i][1], -1) {
			colours[match[1]] = match[2]
		}
		for name, colour := range colours {
			switch {
			case name == "page" || name == "grid":
			case strings.HasPrefix(name, "level-"):
				atLeast(t, 4.5, theme+": text on "+name, colours["ink"], colour)
			case strings.HasPrefix(name, "series-") && name != "series-1":
				atLeast(t, 3, theme+": "+name, colour, colours["page"])
			default:
				atLeast(t, 4.5, theme+": "+name, colour, colours["page"])
			}
		}
	}
}

func atLeast(t *testing.T, least float64, what, a, b string) {
	t.Helper()
	first, second := luminance(t, a), luminance(t, b)
	if got := (max(first, second) + .05) / (min(first, second) + .05); got < least {
		t.Errorf("%s has a contrast of %.2f; %.1f is the least", what, got, least)
	}
}

// luminance as WCAG defines it.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		part, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(part) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
