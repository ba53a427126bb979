// Package html writes a report as one HTML file that needs no network and no script: first the result, then
// tables and charts, and at the end how it was measured. It computes nothing: texts and numbers are those of
// package report. Below each chart there is a table with the same numbers, for readers who can't see it.
//
// gonum's plot lays out axes and draws the charts as SVG; this package defines what is drawn. Colours are names
// of the page's palette, so that a chart fits a light and a dark page, and curves also differ in marks and
// dashes.
package html
