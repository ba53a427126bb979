package report

import (
	"fmt"
	"math"
)

// Goal is the range that a figure should be in. The zero Goal allows any figure.
type Goal struct {
	low, high float64
	asked     bool
	// reportOnly goals never fail.
	reportOnly bool
}

// AtLeast returns a goal with only a lower end.
func AtLeast(low float64) Goal { return Goal{low: low, high: math.Inf(1), asked: true} }

// AtMost returns a goal with only an upper end.
func AtMost(high float64) Goal { return Goal{low: math.Inf(-1), high: high, asked: true} }

// Between returns a goal with two ends.
func Between(low, high float64) Goal { return Goal{low: low, high: high, asked: true} }

// ReportOnly returns the same goal, but missing it does not fail the benchmark. It is for times,
// which depend on the machine.
func (g Goal) ReportOnly() Goal {
	g.reportOnly = true
	return g
}

// Holds reports whether the figure meets the goal. NaN does not meet any goal.
func (g Goal) Holds(figure float64) bool {
	return !g.asked || (figure >= g.low && figure <= g.high)
}

func (g Goal) String() string {
	switch {
	case !g.asked:
		return ""
	case math.IsInf(g.high, 1):
		return fmt.Sprintf("at least %v", g.low)
	case math.IsInf(g.low, -1):
		return fmt.Sprintf("at most %v", g.high)
	}
	return fmt.Sprintf("%v to %v", g.low, g.high)
}

// verdict returns the table's cell on whether the figure meets the goal.
func (g Goal) verdict(figure float64) string {
	switch {
	case !g.asked:
		return ""
	case g.Holds(figure):
		return "yes"
	}
	return "**no**"
}
