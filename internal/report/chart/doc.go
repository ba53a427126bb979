// Package chart draws the charts of a report: p95 against the offered rate, the
// distribution of response times, and the requests under way and the speed of the CPU over
// time. Each is an SVG that is embedded in a page.
//
// gonum's plot lays out axes and draws; this package defines what is drawn. Colours are
// names of the page's palette, so that a chart fits a light and a dark page, and fonts are
// those of the page. Curves differ not only in colour but also in marks and dashes, and
// have labels.
package chart
