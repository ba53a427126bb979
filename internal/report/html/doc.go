// Package html writes a report as one HTML file that needs no network and no script: first
// the result, then tables and charts, and at the end how it was measured.
//
// It computes nothing: texts and numbers are those of package report. Below each chart
// there is a table with the same numbers, for readers who can't see the chart.
//
// # Charts
//
// The charts are p95 against the offered rate, the
// distribution of response times, and the requests under way and the speed of the CPU over
// time. Each is an SVG that is embedded in a page.
//
// gonum's plot lays out axes and draws; this package defines what is drawn. Colours are
// names of the page's palette, so that a chart fits a light and a dark page, and fonts are
// those of the page. Curves differ not only in colour but also in marks and dashes, and
// have labels.
package html
