package compare

import (
	"math/big"
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// small is the chance, in thousandths, below which a difference is real.
	small = 50
	// least is how many repetitions each side needs for a chance that small. The least
	// possible chance is 29 thousandths with four repetitions each, and 100 with three.
	least = 4
)

// Finding says whether a difference is real.
type Finding string

const (
	// Real means that such a difference occurs by chance less than once in 20 times.
	Real Finding = "Real"
	// Chance means that chance explains the difference.
	Chance Finding = "Chance"
	// Unknown means that there are too few repetitions.
	Unknown Finding = "Unknown"
)

// Name is the name of a figure.
type Name string

// The figures, each with its unit.
const (
	P95        Name = "p95Microseconds"
	Capacity   Name = "capacityMilliPerSecond"
	Maximum    Name = "maxThroughputMilliPerSecond"
	HashTime   Name = "hashMicroseconds"
	LoginPrice Name = "pricePerMillionLogins"
)

// Figure is one number of a variant in both experiments.
type Figure struct {
	// The name of the figure, which contains its unit.
	Name Name `json:"name"`
	// The medians of the repetitions in that unit: an integer, or a decimal for a price.
	A string `json:"a"`
	B string `json:"b"`
	// (B − A) ÷ A, in thousandths; absent if A is 0.
	PerMille *int64 `json:"perMille,omitempty"`
	// The probability of a difference at least as large without a real difference, in
	// thousandths; absent if one side has a single repetition.
	ChancePerMille *int64 `json:"chancePerMille,omitempty"`
	// Whether the intervals overlap; absent if one side has no interval.
	IntervalsOverlap *bool `json:"intervalsOverlap,omitempty"`
	// The number of repetitions of each side.
	RepetitionsA int `json:"repetitionsA,omitempty"`
	RepetitionsB int `json:"repetitionsB,omitempty"`
	// Whether the difference is real; absent for a price.
	Finding Finding `json:"finding,omitempty"`
}

// quantities are the figures of repetitions, with their names in JSON and in tables.
var quantities = []struct {
	name  Name
	title string
	text  func(*int64) string
	results.Figure
}{
	{P95, "p95", units.Latency, results.LatencyP95},
	{Capacity, "capacity", units.Rate, results.CapacityRate},
	{Maximum, "maximum", units.Rate, results.MaximumRate},
	{HashTime, "hash", units.Latency, results.TimeOfHash},
}

func figures(a, b report.Row) []Figure {
	var all []Figure
	for _, q := range quantities {
		valuesA, valuesB := values(a, q.Figure), values(b, q.Figure)
		if len(valuesA) == 0 || len(valuesB) == 0 {
			continue
		}
		figure := Figure{
			Name: q.name, A: strconv.FormatInt(q.Median(valuesA), 10), B: strconv.FormatInt(q.Median(valuesB), 10),
			RepetitionsA: len(valuesA), RepetitionsB: len(valuesB), IntervalsOverlap: overlap(a, b, q.Figure),
		}
		if difference := q.Difference(valuesB, valuesA); difference != nil {
			figure.PerMille, figure.ChancePerMille = &difference.PerMille, difference.ChancePerMille
		}
		figure.Finding = finding(figure)
		all = append(all, figure)
	}
	return append(all, prices(a, b)...)
}

func values(row report.Row, f results.Figure) []int64 {
	var all []int64
	for _, trial := range row.Repetitions {
		if n := f.Of(trial.Status.Result); n != nil {
			all = append(all, *n)
		}
	}
	return all
}

func overlap(a, b report.Row, f results.Figure) *bool {
	lowA, highA := f.Interval(&a.Result)
	lowB, highB := f.Interval(&b.Result)
	if lowA == nil || lowB == nil {
		return nil
	}
	return ptr.To(*lowA <= *highB && *lowB <= *highA)
}

// finding returns Unknown for too few repetitions, since their chance can't be small.
func finding(f Figure) Finding {
	switch {
	case f.ChancePerMille == nil || min(f.RepetitionsA, f.RepetitionsB) < least:
		return Unknown
	case *f.ChancePerMille < small:
		return Real
	default:
		return Chance
	}
}

// prices returns the price of logins without a chance: it differs like the capacity, which
// has one.
func prices(a, b report.Row) []Figure {
	if a.Result.Price == nil || b.Result.Price == nil {
		return nil
	}
	before, after := a.Result.Price.PerMillionLogins, b.Result.Price.PerMillionLogins
	if before == "" || after == "" {
		return nil
	}
	base, _ := new(big.Rat).SetString(before) // nil if it is not a number
	price, _ := new(big.Rat).SetString(after)
	return []Figure{{Name: LoginPrice, A: before, B: after, PerMille: results.PriceDifference(price, base)}}
}
