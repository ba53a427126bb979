package report

import (
	"fmt"
	"math"
)

// Goal is what a figure should be. The zero Goal asks nothing of it.
type Goal struct {
	low, high float64
	asked     bool
	told      bool
}

// AtLeast is a goal with a lower end alone.
func AtLeast(low float64) Goal { return Goal{low: low, high: math.Inf(1), asked: true} }

// AtMost is a goal with an upper end alone.
func AtMost(high float64) Goal { return Goal{low: math.Inf(-1), high: high, asked: true} }

// Between is a goal with two ends.
func Between(low, high float64) Goal { return Goal{low: low, high: high, asked: true} }

// Told is the same goal, but missing it does not fail the bench: for times,
// which another machine need not repeat.
func (g Goal) Told() Goal {
	g.told = true
	return g
}

// Holds tells whether the figure is what it should be. Nothing holds of a
// figure that is not a number.
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

// verdict is the table's last word on the figure.
func (g Goal) verdict(figure float64) string {
	switch {
	case !g.asked:
		return ""
	case g.Holds(figure):
		return "yes"
	}
	return "**no**"
}
