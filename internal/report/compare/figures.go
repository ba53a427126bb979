package compare

import (
	"math"
	"math/big"
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/comparison"
	"github.com/hashmark-dev/hashmark/internal/report"
)

const (
	// small is the chance, in thousandths, below which a difference is called real.
	small = 50
	// least is how many repetitions each side needs for a chance that small: four
	// against four come to 29 thousandths at the least, three to 100.
	least = 4
)

// Finding is what can be said of a difference.
type Finding string

const (
	// Real means that chance alone gives such a difference less than once in 20 times.
	Real Finding = "Real"
	// Chance means that chance explains the difference.
	Chance Finding = "Chance"
	// Unknown means that there are too few repetitions to tell.
	Unknown Finding = "Unknown"
)

// Name is one of the figures that are compared.
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
	// Which number, with its unit in the name.
	Name Name `json:"name"`
	// The medians of both sides' repetitions, in that unit: whole numbers, and of
	// a price a decimal.
	A string `json:"a"`
	B string `json:"b"`
	// (B − A) ÷ A, in thousandths; absent where A is 0.
	PerMille *int64 `json:"perMille,omitempty"`
	// The chance of a difference at least as large where there is none, in
	// thousandths; absent where one side has a single repetition.
	ChancePerMille *int64 `json:"chancePerMille,omitempty"`
	// Whether the intervals of both sides overlap; absent where one has none.
	IntervalsOverlap *bool `json:"intervalsOverlap,omitempty"`
	// How many repetitions each side has.
	RepetitionsA int `json:"repetitionsA,omitempty"`
	RepetitionsB int `json:"repetitionsB,omitempty"`
	// What can be said of the difference.
	Finding Finding `json:"finding,omitempty"`
}

// quantity is how a figure is read from a trial, and its interval from a row.
type quantity struct {
	name     Name
	of       func(*v1alpha1.VariantResult) *int64
	interval func(*v1alpha1.VariantResult) (low, high int64, known bool)
}

var quantities = []quantity{
	{P95, func(r *v1alpha1.VariantResult) *int64 { return r.P95Microseconds }, p95Interval},
	{Capacity, heldRate, capacityInterval},
	{Maximum, func(r *v1alpha1.VariantResult) *int64 { return r.MaxThroughputMilliPerSecond }, noInterval},
	{HashTime, hashTime, hashInterval},
}

// heldRate is the capacity, and 0 of a trial that met the objective at no rate.
func heldRate(r *v1alpha1.VariantResult) *int64 {
	if r.CapacityMilliPerSecond == nil && r.ObjectiveMet != nil && !*r.ObjectiveMet {
		return new(int64)
	}
	return r.CapacityMilliPerSecond
}

func hashTime(r *v1alpha1.VariantResult) *int64 {
	if r.Calibration == nil {
		return nil
	}
	return &r.Calibration.HashMicroseconds
}

func p95Interval(r *v1alpha1.VariantResult) (low, high int64, known bool) {
	if r.P95Interval == nil {
		return 0, 0, false
	}
	return r.P95Interval.LowMicroseconds, r.P95Interval.HighMicroseconds, true
}

func capacityInterval(r *v1alpha1.VariantResult) (low, high int64, known bool) {
	if r.CapacityInterval == nil {
		return 0, 0, false
	}
	return r.CapacityInterval.LowMilliPerSecond, r.CapacityInterval.HighMilliPerSecond, true
}

func hashInterval(r *v1alpha1.VariantResult) (low, high int64, known bool) {
	if r.Calibration == nil {
		return 0, 0, false
	}
	return r.Calibration.HashMicroseconds - r.Calibration.ErrorMicroseconds, r.Calibration.HashMicroseconds + r.Calibration.ErrorMicroseconds, true
}

func noInterval(*v1alpha1.VariantResult) (low, high int64, known bool) { return 0, 0, false }

// figures are those that both sides have.
func figures(a, b report.Row) []Figure {
	var all []Figure
	for _, q := range quantities {
		these, others := values(b, q.of), values(a, q.of)
		if len(these) == 0 || len(others) == 0 {
			continue
		}
		figure := Figure{
			Name: q.name, A: strconv.FormatInt(comparison.Median(others), 10), B: strconv.FormatInt(comparison.Median(these), 10),
			RepetitionsA: len(others), RepetitionsB: len(these), IntervalsOverlap: overlap(a, b, q),
		}
		if difference := comparison.Difference(these, others); difference != nil {
			figure.PerMille, figure.ChancePerMille = &difference.PerMille, difference.ChancePerMille
		}
		figure.Finding = finding(figure)
		all = append(all, figure)
	}
	return append(all, prices(a, b)...)
}

// values of a number over the repetitions that may be believed.
func values(row report.Row, of func(*v1alpha1.VariantResult) *int64) []int64 {
	var all []int64
	for _, trial := range row.Repetitions {
		if n := of(trial.Status.Result); n != nil {
			all = append(all, *n)
		}
	}
	return all
}

func overlap(a, b report.Row, q quantity) *bool {
	lowA, highA, knownA := q.interval(&a.Result)
	lowB, highB, knownB := q.interval(&b.Result)
	if !knownA || !knownB {
		return nil
	}
	return ptr.To(lowA <= highB && lowB <= highA)
}

// finding is Unknown of too few repetitions, however small the chance: they can't
// give a small one.
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

// prices differ as the capacities do, whose chance is told there.
func prices(a, b report.Row) []Figure {
	if a.Result.Price == nil || b.Result.Price == nil {
		return nil
	}
	before, after := a.Result.Price.PerMillionLogins, b.Result.Price.PerMillionLogins
	if before == "" || after == "" {
		return nil
	}
	return []Figure{{Name: LoginPrice, A: before, B: after, PerMille: share(before, after)}}
}

// share is (after − before) ÷ before of two decimals, in thousandths; nil where
// there is no share to tell.
func share(before, after string) *int64 {
	from, okFrom := new(big.Rat).SetString(before)
	to, okTo := new(big.Rat).SetString(after)
	if !okFrom || !okTo || from.Sign() <= 0 {
		return nil
	}
	difference, _ := to.Sub(to, from).Quo(to, from).Float64()
	return ptr.To(int64(math.Round(1000 * difference)))
}
