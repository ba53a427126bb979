// Package report writes a benchmark's figures and their goals into a Markdown table for the
// terminal and for docs/benchmarks.md.
//
// It does not measure and does not fail a benchmark: Missed returns what should.
package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// fileMode lets everyone read the reports.
const fileMode = 0o644

// Report is the result of a benchmark.
type Report struct {
	// Name of the benchmark, and of its file.
	Name string
	// Setting is a sentence on the run: when, on what machine, whole or short.
	Setting string
	rows    []row
}

type row struct {
	what   string
	figure float64
	goal   Goal
	notes  string
}

// Add adds a figure with its name, its goal and notes. A figure that could not be measured is
// NaN, and misses any goal.
func (r *Report) Add(what string, figure float64, goal Goal, notes string) {
	r.rows = append(r.rows, row{what: what, figure: figure, goal: goal, notes: notes})
}

// Missed returns the figures that miss a goal and fail the benchmark. A report without figures
// also fails.
func (r *Report) Missed() []string {
	if len(r.rows) == 0 {
		return []string{"nothing was measured"}
	}
	var missed []string
	for _, row := range r.rows {
		if !row.goal.Holds(row.figure) && !row.goal.reportOnly {
			missed = append(missed, fmt.Sprintf("%s is %s, want %s", row.what, number(row.figure), row.goal))
		}
	}
	return missed
}

// Markdown returns the whole report.
func (r *Report) Markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\n", r.Setting)
	fmt.Fprintf(&text, "| %s | figure | goal | met | notes |\n|---|---|---|---|---|\n", r.Name)
	for _, row := range r.rows {
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n",
			row.what, number(row.figure), row.goal, row.goal.verdict(row.figure), row.notes)
	}
	return text.String()
}

// Write writes the report as <name>.md into a folder, which is created if it is missing.
func (r *Report) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("creating the folder for reports: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, r.Name+".md"), []byte(r.Markdown()), fileMode); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// number formats a figure with at most three decimals.
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
