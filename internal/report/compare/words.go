package compare

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// Table writes the comparison for a terminal.
func Table(w io.Writer, c Comparison) error { return report.WriteTable(w, c.Summary(), c.Sections()) }

// Markdown writes the comparison for a pull request or a wiki.
func Markdown(w io.Writer, c Comparison) error {
	return report.WriteMarkdown(w, c.B.Name+" compared with "+c.A.Name, c.Summary(), c.Sections())
}

// Kind is the kind of a comparison in JSON.
const Kind = "SizingComparison"

// JSON writes the comparison for programs. Its apiVersion is that of the API.
func JSON(w io.Writer, c Comparison) error {
	return report.WriteJSON(w, struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Comparison
	}{v1beta1.GroupVersion.String(), Kind, c})
}

// Summary returns the result of the comparison in a sentence or two.
func (c Comparison) Summary() string {
	text := fmt.Sprintf("%s (B) compared with %s (A): %s", c.B.Name, c.A.Name, c.counted())
	switch {
	case len(c.Questions) > 0:
		text += " The experiments differ: see the section Not comparable."
	case c.A.Recommended == "" || c.B.Recommended == "":
	case c.A.Recommended == c.B.Recommended:
		text += fmt.Sprintf(" Both recommend %s.", c.A.Recommended)
	default:
		text += fmt.Sprintf(" A recommends %s, B %s.", c.A.Recommended, c.B.Recommended)
	}
	return text
}

func (c Comparison) counted() string {
	counts, all := map[Finding]int{}, 0
	for _, p := range c.Variants {
		for _, f := range p.Figures {
			if f.Finding != "" {
				counts[f.Finding]++
				all++
			}
		}
	}
	switch {
	case all == 0:
		return "no figure was measured in both."
	case counts[Unknown] == all:
		return fmt.Sprintf("each of the %d differences may be due to chance; to decide, at least %d repetitions are needed.", all, least)
	default:
		text := fmt.Sprintf("%d of %d differences are real.", counts[Real], all)
		if counts[Unknown] > 0 {
			text += fmt.Sprintf(" %d are unknown; to decide, at least %d repetitions are needed.", counts[Unknown], least)
		}
		return text
	}
}

// Sections returns the sections of the comparison.
func (c Comparison) Sections() []report.Section {
	var all []report.Section
	if len(c.Questions) > 0 {
		all = append(all, report.Section{Title: "Not comparable", Items: c.Questions})
	}
	all = append(all, report.Section{Title: "Results", Items: []string{"A: " + c.A.Answer, "B: " + c.B.Answer}})
	if lines := c.lines(); len(lines) > 0 {
		all = append(all, report.Section{Title: "Variants", Columns: []string{"Variant", "Figure", "A", "B", "Difference", "Real"}, Lines: lines})
	}
	if items := c.remarks(); len(items) > 0 {
		all = append(all, report.Section{Title: "Other differences", Items: items})
	}
	return all
}

// lines returns a line for each figure. Only the first line of a variant has its name.
func (c Comparison) lines() [][]string {
	var lines [][]string
	for _, p := range c.Variants {
		name := p.Variant
		if p.VariantB != "" {
			name += " = " + p.VariantB
		}
		for _, f := range p.Figures {
			title, first, second := f.cells()
			lines = append(lines, []string{name, title, first, second, report.Difference(f.PerMille, f.ChancePerMille), f.findingText()})
			name = ""
		}
	}
	return lines
}

func (c Comparison) remarks() []string {
	texts := append([]string(nil), c.Circumstances...)
	for _, p := range c.Variants {
		if p.LoadA != "" {
			texts = append(texts, fmt.Sprintf("p95 of %s is at %s in A and at %s in B.", p.Variant, p.LoadA, p.LoadB))
		}
		if p.VerdictA != v1beta1.VerdictValid || p.VerdictB != v1beta1.VerdictValid {
			texts = append(texts, fmt.Sprintf("%s is %s in A and %s in B.", p.Variant, verdict(p.VerdictA), verdict(p.VerdictB)))
		}
	}
	if len(c.OnlyA) > 0 {
		texts = append(texts, "Only A measured "+strings.Join(c.OnlyA, ", ")+".")
	}
	if len(c.OnlyB) > 0 {
		texts = append(texts, "Only B measured "+strings.Join(c.OnlyB, ", ")+".")
	}
	return texts
}

func verdict(v v1beta1.Verdict) string { return strings.ToLower(string(v)) }

func (f Figure) cells() (title, first, second string) {
	for _, q := range quantities {
		if q.name == f.Name {
			a, _ := strconv.ParseInt(f.A, 10, 64) // it was formatted from a number
			b, _ := strconv.ParseInt(f.B, 10, 64)
			return q.title, q.text(&a), q.text(&b)
		}
	}
	return "10⁶ logins", f.A, f.B
}

func (f Figure) findingText() string {
	switch f.Finding {
	case Real:
		return "yes"
	case Chance:
		return "no: chance explains it"
	case Unknown:
		return f.unknown()
	default:
		return ""
	}
}

// unknown returns the text for too few repetitions, which says whether the intervals overlap.
func (f Figure) unknown() string {
	switch {
	case f.IntervalsOverlap == nil:
		return "unknown"
	case *f.IntervalsOverlap:
		return "unknown; intervals overlap"
	default:
		return "unknown; intervals don't overlap"
	}
}
