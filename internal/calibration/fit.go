package calibration

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// mostConstantRounds bounds what a hash takes beside its rounds, in rounds.
// Bcrypt's own is 0.7 (the first expansion of the key, and 192 encryptions at
// the end, where a round is 1,042 of them); 0.62 was measured. The rest is
// slack for reading the hash. Without the bound a disturbed lowest cost would
// hide in the constant, and a disturbed highest one be blamed on its neighbour.
const mostConstantRounds = 4

// CostTime is how long a hash of a bcrypt cost takes.
type CostTime struct {
	Cost int32
	// Seconds of CPU time, above 0.
	Seconds float64
}

// Line is a + b·2^cost, how the time of a hash grows with its cost.
type Line struct {
	// Constant is a, in seconds: what a hash takes beside its rounds.
	Constant float64
	// Round is b, in seconds: what each of the 2^cost rounds takes.
	Round float64
}

// At is the line's time of a hash, in seconds.
func (l Line) At(cost int32) float64 { return l.Constant + l.Round*math.Exp2(float64(cost)) }

// Residual is (measured − fitted) ÷ fitted.
func (l Line) Residual(t CostTime) float64 { return t.Seconds/l.At(t.Cost) - 1 }

// Fit is the line with the least sum of squares of (fitted − measured) ÷
// measured: every cost counts alike, or the highest would decide alone. The
// constant lies between 0 and mostConstantRounds rounds. Costs must differ;
// false with fewer than two, through which every line goes.
func Fit(times []CostTime) (Line, bool) {
	if len(times) < 2 {
		return Line{}, false
	}
	free := leastSquares(times, 0, false)
	if free.Constant >= 0 && free.Constant <= mostConstantRounds*free.Round {
		return free, true
	}
	// The sum of squares is convex: outside the bounds, the best lies on one.
	none, most := leastSquares(times, 0, true), leastSquares(times, mostConstantRounds, true)
	if none.loss(times) <= most.loss(times) {
		return none, true
	}
	return most, true
}

// leastSquares fits a line whose constant is so many rounds, or, where it is
// not fixed, whatever fits best.
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
