// Package chart draws the figures of a report: p95 against the offered rate, the
// spread of response times, and over time the requests under way and the speed of
// the CPU. Each is an SVG to stand inside a page.
//
// gonum's plot lays out axes and draws; this package says what is drawn. Every
// colour is a name of the page's palette, so that one drawing serves a light and
// a dark page, and fonts are the page's. Nothing is told by colour alone: curves
// differ in marks and dashes as well, and bear their names.
package chart
