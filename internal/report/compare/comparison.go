package compare

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// Comparison is the comparison of experiment B with experiment A.
type Comparison struct {
	// The experiments and their results.
	A Side `json:"a"`
	B Side `json:"b"`
	// The differences in the specs, a sentence each. If there are any, recommendations can't
	// be compared, and numbers possibly not.
	Questions []string `json:"questions,omitempty"`
	// The differences in the software, the machines and their speed, a sentence each.
	Circumstances []string `json:"circumstances,omitempty"`
	// The variants that both measured, in A's order.
	Variants []Pair `json:"variants,omitempty"`
	// The variants that only A or only B measured.
	OnlyA []string `json:"onlyA,omitempty"`
	OnlyB []string `json:"onlyB,omitempty"`
}

// Side is one of the two experiments.
type Side struct {
	// The name of the experiment, as namespace/name.
	Name string `json:"name"`
	// The result in a sentence, as in report.Document.Answer.
	Answer string `json:"answer"`
	// The recommended size, such as 2×c10-500m, or "none". Absent without a demand, and before
	// the experiment has finished.
	Recommended string `json:"recommended,omitempty"`
}

// Pair is a variant in both experiments.
type Pair struct {
	// The name of the variant in A.
	Variant string `json:"variant"`
	// The name in B, if it differs.
	VariantB string `json:"variantB,omitempty"`
	// The verdicts in A and B.
	VerdictA v1beta1.Verdict `json:"verdictA"`
	VerdictB v1beta1.Verdict `json:"verdictB"`
	// The load that p95 belongs to, as text, if it differs by more than 5 %.
	LoadA string `json:"loadA,omitempty"`
	LoadB string `json:"loadB,omitempty"`
	// The figures that both have. Empty if a result is Invalid.
	Figures []Figure `json:"figures,omitempty"`
}

// Of compares b against a.
func Of(a, b report.Document) Comparison {
	c := Comparison{A: side(a), B: side(b), Questions: questions(a, b), Circumstances: circumstances(a, b)}
	others := map[string]report.Row{}
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
	return Side{Name: d.Name(), Answer: d.Answer(), Recommended: results.Recommended(d.Experiment.Status.Recommendation)}
}

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

// load returns the offered rate or the number of users that p95 belongs to, or 0.
func load(row report.Row) float64 {
	if users := row.Result.Users; users != nil {
		return float64(*users)
	}
	return float64(ptr.Deref(row.Result.OfferedMilliPerSecond, 0))
}

// apart reports whether two loads differ too much to compare p95. In mode Capacity each
// rate comes from its own calibration, so that equal ones differ by a percent or two.
func apart(a, b float64) bool {
	const most = 0.05
	return a > 0 && b > 0 && math.Abs(b-a) > most*a
}

// identify returns the same text for variants that measure the same configuration. Their names can
// differ: if there is only one kind of concurrency, it is not part of the name.
func identify(v v1beta1.Variant) string {
	v.Name = ""
	if milli, err := matrix.MilliCPU(v.CPULimit); err == nil {
		v.CPULimit = strconv.FormatInt(milli, 10) // 1 and 1000m are equal
	}
	if v.NodePool != nil {
		v.NodePool = &v1beta1.NodePool{Name: v.NodePool.Name}
	}
	text, _ := json.Marshal(v) // texts and numbers always have a JSON form
	return string(text)
}
