package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// pageWidth is how wide paragraphs are for a terminal.
const pageWidth = 100

// Table writes the report for a terminal: the answer first, then aligned tables.
func Table(w io.Writer, d Document) error { return WriteTable(w, d.Answer(), d.Sections()) }

// Sizes writes the answer, why, the sizes and the predictions alone: what changes
// when another question is asked of the same measurements.
func Sizes(w io.Writer, d Document) error {
	return WriteTable(w, d.Answer(), told(d.whySection(), d.sizesSection(), d.predictionsSection()))
}

// Calibration writes what was predicted from the times of hashes on one machine.
func Calibration(w io.Writer, d Document) error {
	first := "A prediction from the time of a hash on this machine. Nothing was deployed and nothing was driven: measure it with a SizingExperiment before you rely on it."
	if d.Demanded() {
		first = d.Answer() + " " + first
	}
	speed, predicted := d.speedSection(), d.predictionsSection()
	speed.Paragraphs = []string{"Fast and slow are the 10th and the 90th percentile of the time of a hash while hashes were timed, relative to the median. Sizes are chosen for the slow speed."}
	// All of these variants are the caller's own.
	predicted.dropColumn(len(predicted.Columns) - 1)
	return WriteTable(w, first, told(d.whySection(), d.verificationSection(), speed, d.hashTimesSection(), predicted, d.sizesSection()))
}

// WriteTable writes what is said first, and then sections, for a terminal.
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
	fmt.Fprintf(w, "\n%s\n", strings.ToUpper(clean(s.Title)))
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
		fmt.Fprintln(table, row(s.Columns, strings.ToUpper))
	}
	for _, line := range s.Lines {
		fmt.Fprintln(table, row(line, clean))
	}
	_ = table.Flush() // into the buffer, which keeps the error
}

// row joins cells for the tab writer. The last cell has no tab after it, so that
// no line ends in blanks.
func row(cells []string, as func(string) string) string {
	text := make([]string, len(cells))
	for i, cell := range cells {
		text[i] = as(cell)
	}
	return strings.TrimRight(strings.Join(text, "\t"), "\t")
}

// paragraph wraps a text, with what begins its first line before it and blanks
// before the others.
func paragraph(w io.Writer, begin, text string) {
	for _, line := range wrap(clean(text), pageWidth-len(begin)) {
		fmt.Fprintln(w, begin+line)
		begin = strings.Repeat(" ", len(begin))
	}
}
