// Package report puts a bench's figures beside their goals in a Markdown table,
// which reads well on a terminal and can stand in docs/benchmarks.md as it is.
//
// It does not measure, and it does not fail a bench: Missed says what should.
package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// fileMode lets everyone read what was measured.
const fileMode = 0o644

// Report is what a bench came to.
type Report struct {
	// Name of the bench, also of its file.
	Name string
	// Setting in which it ran, a sentence: when, on what, how much of it.
	Setting string
	// Shown is printed below the table as it is, such as a table of kubectl's.
	Shown string
	rows  []row
}

type row struct {
	what   string
	figure float64
	goal   Goal
	beside string
}

// Add puts down a figure, what it is of, its goal, and what should be known
// beside it. A figure that could not be measured is NaN, and misses any goal.
func (r *Report) Add(what string, figure float64, goal Goal, beside string) {
	r.rows = append(r.rows, row{what: what, figure: figure, goal: goal, beside: beside})
}

// Missed names the figures that miss a goal which may fail the bench. A report
// without a figure is missed as a whole.
func (r *Report) Missed() []string {
	if len(r.rows) == 0 {
		return []string{"nothing was measured"}
	}
	var missed []string
	for _, row := range r.rows {
		if !row.goal.Holds(row.figure) && !row.goal.told {
			missed = append(missed, fmt.Sprintf("%s is %s, want %s", row.what, number(row.figure), row.goal))
		}
	}
	return missed
}

// Markdown is the whole report.
func (r *Report) Markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\n| %s | figure | goal | met | beside |\n|---|---|---|---|---|\n", r.Setting, r.Name)
	for _, row := range r.rows {
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n",
			row.what, number(row.figure), row.goal, row.goal.verdict(row.figure), row.beside)
	}
	if r.Shown != "" {
		fmt.Fprintf(&text, "\n```\n%s\n```\n", strings.TrimRight(r.Shown, "\n"))
	}
	return text.String()
}

// Write writes the report into a folder, which is made where it is absent, as
// <name>.md.
func (r *Report) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the folder for reports: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, r.Name+".md"), []byte(r.Markdown()), fileMode); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// number has three decimals where they say something.
func number(figure float64) string {
	switch {
	case math.IsNaN(figure):
		return "none"
	case figure == math.Trunc(figure) || math.Abs(figure) >= 1000:
		return fmt.Sprintf("%.0f", figure)
	case math.Abs(figure) >= 100:
		return fmt.Sprintf("%.1f", figure)
	}
	return fmt.Sprintf("%.3f", figure)
}
