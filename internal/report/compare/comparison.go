package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/report"
)

// Comparison is experiment B held against experiment A.
type Comparison struct {
	// The experiments, as namespace/name, and their answers in a sentence.
	A Side `json:"a"`
	B Side `json:"b"`
	// What differs in the questions, a sentence each: where there is something, the
	// answers do not compare, and numbers perhaps not.
	Questions []string `json:"questions,omitempty"`
	// What differs in what the numbers were measured with, a sentence each.
	Circumstances []string `json:"circumstances,omitempty"`
	// Each variant that both measured, in A's order.
	Variants []Pair `json:"variants,omitempty"`
	// The variants that only one of them has.
	OnlyA []string `json:"onlyA,omitempty"`
	OnlyB []string `json:"onlyB,omitempty"`
}

// Side is one of the two experiments.
type Side struct {
	// Its name, as namespace/name.
	Name string `json:"name"`
	// Its answer in a sentence.
	Answer string `json:"answer"`
	// What it recommends, such as 2×c10-500m, or none; absent without a demand, and
	// before its end.
	Recommended string `json:"recommended,omitempty"`
}

// Pair is a variant in both experiments.
type Pair struct {
	// Its name in A.
	Variant string `json:"variant"`
	// Its name in B, where that is another.
	VariantB string `json:"variantB,omitempty"`
	// What A's and B's numbers are worth.
	VerdictA v1alpha1.Verdict `json:"verdictA"`
	VerdictB v1alpha1.Verdict `json:"verdictB"`
	// The load that p95 is told at, as people say it, where that differs by more
	// than 5 %.
	LoadA string `json:"loadA,omitempty"`
	LoadB string `json:"loadB,omitempty"`
	// The figures that both have; none of an Invalid result.
	Figures []Figure `json:"figures,omitempty"`
}

// Of compares b against a.
func Of(a, b report.Document) Comparison {
	c := Comparison{A: side(a), B: side(b), Questions: questions(a, b), Circumstances: circumstances(a, b)}
	others := map[identity]report.Row{}
	for _, row := range measuredRows(b) {
		others[identify(row.Variant)] = row
	}
	for _, row := range measuredRows(a) {
		id := identify(row.Variant)
		other, both := others[id]
		if !both {
			c.OnlyA = append(c.OnlyA, row.Result.Variant)
			continue
		}
		delete(others, id)
		c.Variants = append(c.Variants, pair(row, other))
	}
	for _, row := range measuredRows(b) {
		if _, left := others[identify(row.Variant)]; left {
			c.OnlyB = append(c.OnlyB, row.Result.Variant)
		}
	}
	return c
}

func side(d report.Document) Side {
	s := Side{Name: d.Name(), Answer: d.Answer()}
	if answer := d.Experiment.Status.Recommendation; answer != nil {
		s.Recommended = "none"
		if answer.Variant != "" {
			s.Recommended = fmt.Sprintf("%d×%s", answer.Replicas, answer.Variant)
		}
	}
	return s
}

// measuredRows are what load was put on: predictions are compared with nothing.
func measuredRows(d report.Document) []report.Row {
	return slices.DeleteFunc(slices.Clone(d.Rows), func(r report.Row) bool { return r.Predicted })
}

func pair(a, b report.Row) Pair {
	p := Pair{Variant: a.Result.Variant, VerdictA: a.Result.Verdict, VerdictB: b.Result.Verdict, Figures: figures(a, b)}
	if b.Result.Variant != p.Variant {
		p.VariantB = b.Result.Variant
	}
	if apart(load(a), load(b)) {
		p.LoadA, p.LoadB = a.Load(), b.Load()
	}
	return p
}

// load is the rate, or the number of users, that p95 is told at; 0 where it is not.
func load(row report.Row) float64 {
	switch {
	case row.Result.Users != nil:
		return float64(*row.Result.Users)
	case row.Result.OfferedMilliPerSecond != nil:
		return float64(*row.Result.OfferedMilliPerSecond)
	default:
		return 0
	}
}

// apart tells of two loads that p95 does not compare at. In mode Capacity each has
// its rate from its own calibration, and equal ones lie a percent or two apart.
func apart(a, b float64) bool {
	const most = 0.05
	return a > 0 && b > 0 && math.Abs(b-a) > most*a
}
