package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Table writes the comparison for a terminal: what does not compare first.
func Table(w io.Writer, c Comparison) error { return report.WriteTable(w, c.Summary(), c.Sections()) }

// Markdown writes the comparison for a pull request or a wiki.
func Markdown(w io.Writer, c Comparison) error {
	return report.WriteMarkdown(w, c.B.Name+" against "+c.A.Name, c.Summary(), c.Sections())
}

// Kind is the kind of a comparison as JSON writes it.
const Kind = "SizingComparison"

// JSON writes the comparison for programs, under the version of the API that its
// words come from.
func JSON(w io.Writer, c Comparison) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Comparison
	}{v1alpha1.GroupVersion.String(), Kind, c})
}

// Summary says in a sentence or two what came of the comparison.
func (c Comparison) Summary() string {
	text := fmt.Sprintf("%s (B) against %s (A): %s", c.B.Name, c.A.Name, c.counted())
	switch {
	case len(c.Questions) > 0:
		text += " The questions differ: see what does not compare."
	case c.A.Recommended == "" || c.B.Recommended == "":
	case c.A.Recommended == c.B.Recommended:
		text += fmt.Sprintf(" Both recommend %s.", c.A.Recommended)
	default:
		text += fmt.Sprintf(" A recommends %s, B %s.", c.A.Recommended, c.B.Recommended)
	}
	return text
}

// counted says how many differences are real.
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
		return "there is nothing that both measured."
	case counts[Unknown] == all:
		return fmt.Sprintf("chance may explain any of the %d differences; repeat each at least %d times to tell.", all, least)
	default:
		text := fmt.Sprintf("%d of %d differences are more than chance.", counts[Real], all)
		if counts[Unknown] > 0 {
			text += fmt.Sprintf(" Of %d nobody can tell; repeat each at least %d times.", counts[Unknown], least)
		}
		return text
	}
}

// Sections is the comparison in words.
func (c Comparison) Sections() []report.Section {
	var all []report.Section
	if len(c.Questions) > 0 {
		all = append(all, report.Section{Title: "What does not compare", Items: c.Questions})
	}
	all = append(all, report.Section{Title: "Answers", Items: []string{"A: " + c.A.Answer, "B: " + c.B.Answer}})
	if lines := c.lines(); len(lines) > 0 {
		all = append(all, report.Section{Title: "Variants", Columns: []string{"Variant", "What", "A", "B", "Difference", "Is it real"}, Lines: lines})
	}
	if items := c.remarks(); len(items) > 0 {
		all = append(all, report.Section{Title: "Also", Items: items})
	}
	return all
}

// lines are one for each figure; the variant is named in its first.
func (c Comparison) lines() [][]string {
	var lines [][]string
	for _, p := range c.Variants {
		name := p.Variant
		if p.VariantB != "" {
			name += " = " + p.VariantB
		}
		for _, f := range p.Figures {
			lines = append(lines, []string{name, f.words(), f.read(f.A), f.read(f.B), f.difference(), f.tells()})
			name = ""
		}
	}
	return lines
}

func (c Comparison) remarks() []string {
	told := append([]string(nil), c.Circumstances...)
	for _, p := range c.Variants {
		if p.LoadA != "" {
			told = append(told, fmt.Sprintf("p95 of %s is told at %s in A and at %s in B.", p.Variant, p.LoadA, p.LoadB))
		}
		if believed(p.VerdictA) && believed(p.VerdictB) {
			continue
		}
		told = append(told, fmt.Sprintf("%s is %s in A and %s in B.", p.Variant, verdict(p.VerdictA), verdict(p.VerdictB)))
	}
	if len(c.OnlyA) > 0 {
		told = append(told, "Only A measured "+strings.Join(c.OnlyA, ", ")+".")
	}
	if len(c.OnlyB) > 0 {
		told = append(told, "Only B measured "+strings.Join(c.OnlyB, ", ")+".")
	}
	return told
}

func believed(v v1alpha1.Verdict) bool { return v == v1alpha1.VerdictValid }

func verdict(v v1alpha1.Verdict) string { return strings.ToLower(string(v)) }

func (f Figure) words() string {
	return map[Name]string{
		P95: "p95", Capacity: "capacity", Maximum: "maximum", HashTime: "hash", LoginPrice: "10⁶ logins",
	}[f.Name]
}

// read is one of the two numbers as people say it.
func (f Figure) read(value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	if f.Name == LoginPrice || err != nil {
		return value
	}
	if f.Name == P95 || f.Name == HashTime {
		return units.Latency(&n)
	}
	return units.Rate(&n)
}

func (f Figure) difference() string {
	text := units.Difference(f.PerMille)
	if f.ChancePerMille != nil {
		text += " (chance " + units.Number(float64(*f.ChancePerMille)/10) + " %)"
	}
	return text
}

// tells says what can be said of the difference.
func (f Figure) tells() string {
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

// unknown says what there is to hold on to without enough repetitions.
func (f Figure) unknown() string {
	switch {
	case f.IntervalsOverlap == nil:
		return "can't tell"
	case *f.IntervalsOverlap:
		return "can't tell; intervals overlap"
	default:
		return "can't tell; intervals lie apart"
	}
}
