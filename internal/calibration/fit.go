package calibration

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// The largest constant part of a time, in rounds. Without a limit a disturbed lowest cost would be hidden in the constant, and a
// disturbed highest cost would appear as an error of its neighbour.
const (
	// HashConstant is that of a hash. Bcrypt's own is 0.7; 0.62 was measured. The rest is slack for reading the hash.
	HashConstant = 4
	// LoginConstant is that of a login at a user's own service, which also signs tokens or asks a database: as much as two
	// hashes of cost 8.
	LoginConstant = 512
)

// CostTime is how long a hash of a bcrypt cost takes.
type CostTime struct {
	Cost int32
	// Seconds of CPU time, above 0.
	Seconds float64
}

// Line is a + b·2^cost: how the time of a hash grows with its cost.
type Line struct {
	// Constant is a, in seconds: the part that does not depend on the cost.
	Constant float64
	// Round is b, in seconds: the time of each of the 2^cost rounds.
	Round float64
}

// At returns the line's time of a hash, in seconds.
func (l Line) At(cost int32) float64 { return l.Constant + l.Round*math.Exp2(float64(cost)) }

// Residual returns (measured − fitted) ÷ fitted.
func (l Line) Residual(t CostTime) float64 { return t.Seconds/l.At(t.Cost) - 1 }

// Fit returns the line with the least sum of squares of (fitted − measured) ÷ measured:
// every cost has the same weight, otherwise the highest alone would decide. The constant is
// between 0 and mostConstant rounds. Costs must differ. Fit returns false with fewer
// than two costs, because any line fits one.
func Fit(times []CostTime, mostConstant float64) (Line, bool) {
	if len(times) < 2 {
		return Line{}, false
	}
	free := leastSquares(times, 0, false)
	if free.Constant >= 0 && free.Constant <= mostConstant*free.Round {
		return free, true
	}
	// The sum of squares is convex, so the best constant is at one of the two limits.
	low, high := leastSquares(times, 0, true), leastSquares(times, mostConstant, true)
	if low.loss(times) <= high.loss(times) {
		return low, true
	}
	return high, true
}

// leastSquares fits a line. If fixed is true, the constant is constantRounds rounds;
// otherwise it is fitted.
func leastSquares(times []CostTime, constantRounds float64, fixed bool) Line {
	rounds, seconds, weights := make([]float64, len(times)), make([]float64, len(times)), make([]float64, len(times))
	for i, t := range times {
		rounds[i], seconds[i] = math.Exp2(float64(t.Cost))+constantRounds, t.Seconds
		weights[i] = 1 / (t.Seconds * t.Seconds)
	}
	constant, round := stat.LinearRegression(rounds, seconds, weights, fixed)
	return Line{Constant: constant + constantRounds*round, Round: round}
}

func (l Line) loss(times []CostTime) float64 {
	sum := 0.0
	for _, t := range times {
		off := l.At(t.Cost)/t.Seconds - 1
		sum += off * off
	}
	return sum
}
