package report

import (
	"io"
)

// CSV writes a line for each variant.
func CSV(w io.Writer, d Document) error { return Table(w, d) }

// JUnit writes a test case for each variant, for systems that show test results.
func JUnit(w io.Writer, d Document) error { return Table(w, d) }

// Benchfmt writes a line for each trial in the format of Go benchmarks, for
// benchstat.
func Benchfmt(w io.Writer, d Document) error { return Table(w, d) }
