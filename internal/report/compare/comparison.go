package compare

import (
	"fmt"
	"io"

	"github.com/hashmark-dev/hashmark/internal/report"
)

// Comparison is experiment B held against experiment A.
type Comparison struct {
	// The experiments, as namespace/name.
	A string `json:"a"`
	B string `json:"b"`
	// What differs in the questions, a sentence each: where there is something,
	// numbers may not compare.
	Questions []string `json:"questions,omitempty"`
}

// Of compares b against a.
func Of(a, b report.Document) Comparison {
	return Comparison{A: name(a), B: name(b)}
}

func name(d report.Document) string { return d.Experiment.Namespace + "/" + d.Experiment.Name }

// Table writes the comparison for a terminal.
func Table(w io.Writer, c Comparison) error {
	_, err := fmt.Fprintln(w, c.A, c.B)
	return err
}

// Markdown writes the comparison for a pull request or a wiki.
func Markdown(w io.Writer, c Comparison) error { return Table(w, c) }

// JSON writes the comparison for programs.
func JSON(w io.Writer, c Comparison) error { return Table(w, c) }
