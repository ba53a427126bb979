// Package report tells what an experiment found: to a person at a terminal
// (Table), in a pull request (Markdown) or a spreadsheet (CSV), and to programs
// (JSON, JUnit, Benchfmt).
//
// A Document is made of the resources alone, so that a saved report can be told
// again without a cluster. Whatever a report says is worked out there once, in
// words and in numbers, and each format only lays it out. The package judges
// nothing and recommends nothing: that stands in the status it is given.
package report
