package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hashmark-dev/hashmark/internal/units"
)

const pageWidth = 100

// Table writes the report for a terminal: first the result, then aligned tables.
func Table(w io.Writer, d Document) error { return WriteTable(w, d.Answer(), d.Sections()) }

// Sizes writes only the recommendation, its reason, the sizes and the predictions: what
// changes with another demand for the same measurements.
func Sizes(w io.Writer, d Document) error {
	return WriteTable(w, d.Answer(), nonEmpty(d.whySection(), d.sizesSection(), d.predictionsSection()))
}

// Calibration writes the predictions from hash times on one machine.
func Calibration(w io.Writer, d Document) error {
	first := "This is a prediction from hash times on this machine. Nothing was deployed or put under load: measure it with a SizingExperiment before you rely on it."
	if d.HasDemand() {
		first = d.Answer() + " " + first
	}
	speed, predicted := d.speedSection(), d.predictionsSection()
	speed.Paragraphs = []string{"Fast and slow are the 10th and the 90th percentile of the hash time during the calibration, relative to the median. Sizes are chosen for the sizing speed, because another pod can be slower."}
	// All of these variants are in the matrix.
	predicted.dropColumn(len(predicted.Columns) - 1)
	return WriteTable(w, first, nonEmpty(d.whySection(), d.verificationSection(), speed, d.hashTimesSection(), predicted, d.sizesSection()))
}

// WriteTable writes a first paragraph and sections for a terminal.
func WriteTable(w io.Writer, first string, sections []Section) error {
	buffered := bufio.NewWriter(w)
	paragraph(buffered, "", first)
	for _, s := range sections {
		writeSection(buffered, s)
	}
	return buffered.Flush()
}

// writeSection writes to a buffer that keeps its first error for Flush.
func writeSection(w *bufio.Writer, s Section) {
	fmt.Fprintf(w, "\n%s\n", title(s.Title))
	for _, text := range s.Paragraphs {
		paragraph(w, "", text)
	}
	writeLines(w, s)
	for _, item := range s.Items {
		paragraph(w, "- ", item)
	}
}

func writeLines(w *bufio.Writer, s Section) {
	const padding = 2
	table := tabwriter.NewWriter(w, 0, 0, padding, ' ', tabwriter.StripEscape)
	if len(s.Lines) > 0 && s.Columns[0] != "" {
		fmt.Fprintln(table, row(s.Columns, title))
	}
	for _, line := range s.Lines {
		fmt.Fprintln(table, row(line, units.Line))
	}
	_ = table.Flush() // the buffer keeps the error
}

func title(text string) string { return strings.ToUpper(units.Line(text)) }

// row joins cells for the tab writer. There is no tab after the last cell, so that lines
// have no trailing blanks.
func row(cells []string, as func(string) string) string {
	text := make([]string, len(cells))
	for i, cell := range cells {
		text[i] = as(cell)
	}
	return strings.TrimRight(strings.Join(text, "\t"), "\t")
}

// paragraph wraps a text. The first line starts with begin, the others with as many blanks.
func paragraph(w io.Writer, begin, text string) {
	for _, line := range wrap(units.Line(text), pageWidth-len(begin)) {
		fmt.Fprintln(w, begin+line)
		begin = strings.Repeat(" ", len(begin))
	}
}
