package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Highlight is one of the figures at the top of a report.
type Highlight struct {
	// What the figure is, in a few words.
	Label string
	// The figure, at most about twenty characters.
	Value string
	// What the figure depends on. It can be empty.
	Note string
}

// Highlights returns the figures of the recommended size: the size, its price, p95 and
// confidence, what the next higher cost needs, and the speed of the CPU. If no size fits they
// are those of the nearest size, and without a demand those of the best variant. They are empty
// before the experiment has finished, and if no variant meets the objective.
func (d Document) Highlights() []Highlight {
	var all []Highlight
	recommendation, best := d.Experiment.Status.Recommendation, d.highest()
	switch {
	case !d.Experiment.Status.Phase.Finished():
		return nil
	case !d.HasDemand() && best != nil:
		all = append(d.measuredFigures(best), d.speedFigure(best.Variant))
	case !d.HasDemand() || recommendation == nil:
		return nil
	case d.Met():
		all = append(d.recommendedFigures(recommendation), d.nextCost(recommendation.Cost), d.speedFigure(recommendation.Variant))
	case recommendation.Nearest != nil:
		all = append(d.nearestFigures(recommendation), d.speedFigure(recommendation.Nearest.Variant))
	}
	return slices.DeleteFunc(all, func(h Highlight) bool { return h.Value == "" })
}

func (d Document) recommendedFigures(r *v1beta1.Recommendation) []Highlight {
	return []Highlight{
		{"Size", units.Size(r.Replicas, r.Variant), strings.Join(sizeWords(r.Size), ", ")},
		{"Price per month", d.money(r.PricePerMonth), ""},
		{fmt.Sprintf("p95 at %s/s", d.Experiment.Spec.Demand.LoginsPerSecond.String()), units.Latency(r.P95Microseconds), "objective: " + d.objective()},
		{"Confidence", string(r.Confidence), verifiedWord(r)},
	}
}

func (d Document) nearestFigures(r *v1beta1.Recommendation) []Highlight {
	nearest := r.Nearest
	return []Highlight{
		{"Nearest size", units.Size(nearest.Replicas, nearest.Variant), strings.Join(append(sizeWords(*nearest), boundWords(r.BrokenBound)), ", ")},
		{"Price per month", d.money(nearest.PricePerMonth), ""},
	}
}

func (d Document) measuredFigures(best *v1beta1.VariantResult) []Highlight {
	row := d.Row(best.Variant)
	figures := []Highlight{
		{"Variant", best.Variant, "the highest measured cost that meets the objective"},
		{"Capacity", results.Capacity(best), rates(best.CapacityInterval)},
		{"p95 at " + row.Load(), units.Latency(best.P95Microseconds), "objective: " + d.objective()},
		{"Verdict", string(best.Verdict), strings.Join(results.Causes(best.Reasons), ", ")},
	}
	if !best.Hash.IsCost() {
		figures[0].Note = "meets the objective"
	}
	return figures
}

// nextCost returns what the next higher cost in the report needs for the demand. Of its sizes it
// takes one that fits, if any does, and the one with the least CPU.
func (d Document) nextCost(cost int32) Highlight {
	var next *Row
	for i := range d.Rows {
		row := &d.Rows[i]
		higher := row.Result.Hash.IsCost() && row.Result.Hash.Cost() > cost && row.Result.Sizing != nil
		if cost > 0 && higher && (next == nil || smaller(row.Result, next.Result) < 0) {
			next = row
		}
	}
	if next == nil {
		return Highlight{}
	}
	note := []string{next.Result.Sizing.TotalCPU + " CPU in all", "fits the demand"}
	if len(next.Result.Sizing.Breaks) > 0 {
		note[1] = strings.TrimPrefix(next.Fits(), "no: ")
	}
	if next.Predicted {
		note = append(note, "predicted")
	}
	return Highlight{fmt.Sprintf("For cost %d", next.Result.Hash.Cost()), next.Size(), strings.Join(note, ", ")}
}

// smaller compares two sizes: by cost, whether they fit, and the CPU of all replicas.
func smaller(a, b v1beta1.VariantResult) int {
	return cmp.Or(
		cmp.Compare(a.Hash.Cost(), b.Hash.Cost()),
		cmp.Compare(min(len(a.Sizing.Breaks), 1), min(len(b.Sizing.Breaks), 1)),
		cmp.Compare(totalMilliCPU(a), totalMilliCPU(b)),
	)
}

func totalMilliCPU(r v1beta1.VariantResult) float64 {
	milli, err := matrix.MilliCPU(r.Sizing.TotalCPU)
	if err != nil {
		return math.MaxInt64 // only a saved report that was edited has another text
	}
	return float64(milli)
}

func (d Document) speedFigure(variant string) Highlight {
	row := d.Row(variant)
	if row == nil || d.Reference(*row) == nil {
		return Highlight{}
	}
	pool := d.Reference(*row)
	return Highlight{
		"Speed of the CPU", units.Latency(&pool.HashMicrosecondsAtCost8),
		"for a hash of cost 8, " + RelativeHashTime(pool.LowPerMille) + " to " + RelativeHashTime(pool.HighPerMille) + " while measured",
	}
}
