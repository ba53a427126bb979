package report

import (
	"fmt"
	"io"
)

// Answer is the answer in a sentence: also without a demand, while the experiment
// runs, and of one that failed.
func (d Document) Answer() string { return "" }

// Table writes the report for a terminal: the answer first.
func Table(w io.Writer, d Document) error {
	_, err := fmt.Fprintln(w, d.Answer())
	return err
}

// Markdown writes the report for a pull request or a wiki.
func Markdown(w io.Writer, d Document) error { return Table(w, d) }

// CSV writes a line for each variant.
func CSV(w io.Writer, d Document) error { return Table(w, d) }

// JSON writes what Read reads: the experiment and its trials.
func JSON(w io.Writer, d Document) error { return Table(w, d) }

// Read reads the document that JSON wrote.
func Read(_ io.Reader) (Document, error) { return Document{}, nil }

// JUnit writes a test case for each variant, for systems that show test results.
func JUnit(w io.Writer, d Document) error { return Table(w, d) }

// Benchfmt writes a line for each trial in the format of Go benchmarks, for
// benchstat.
func Benchfmt(w io.Writer, d Document) error { return Table(w, d) }
