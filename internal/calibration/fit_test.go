package calibration

import (
	"math"
	"testing"
)

// asMeasured are the times of x/crypto's Compare on one core of a Zen 4, in
// milliseconds, which a + b·2^cost fits within 0.7 %.
var asMeasured = map[int32]float64{4: 0.918, 6: 3.546, 8: 14.14, 10: 56.57, 12: 226.3}

func timesOf(milliseconds map[int32]float64, disturbed map[int32]float64, costs ...int32) []CostTime {
	var times []CostTime
	for _, cost := range costs {
		factor := 1.0
		if f, is := disturbed[cost]; is {
			factor = f
		}
		times = append(times, CostTime{Cost: cost, Seconds: factor * milliseconds[cost] / 1000})
	}
	return times
}

func TestTheLineThroughMeasuredTimesIsTheKnownOne(t *testing.T) {
	times := timesOf(asMeasured, nil, 4, 6, 8, 10, 12)
	line, ok := Fit(times, HashConstant)
	if !ok {
		t.Fatal("no line was found")
	}
	if a, b := 1e3*line.Constant, 1e3*line.Round; math.Abs(a-0.034) > 0.002 || math.Abs(b-0.05525) > 0.0002 {
		t.Errorf("the line is %.4f ms + %.5f ms · 2^cost, want 0.034 + 0.05525", a, b)
	}
	for _, time := range times {
		if off := line.Residual(time); math.Abs(off) > 0.007 {
			t.Errorf("cost %d lies %.2f %% off the line", time.Cost, 100*off)
		}
	}
}

func TestADisturbedCostLiesFarthestFromTheLine(t *testing.T) {
	tests := map[string]struct {
		costs     []int32
		disturbed int32
		least     float64
	}{
		"the lowest, which must not be hidden in the constant":         {[]int32{8, 10, 12}, 8, 0.10},
		"the one in the middle":                                        {[]int32{8, 10, 12}, 10, 0.10},
		"the highest, which must not appear as an error of the middle": {[]int32{8, 10, 12}, 12, 0.10},
		"one of four, which is farther from the line":                  {[]int32{6, 8, 10, 12}, 10, 0.12},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			times := timesOf(asMeasured, map[int32]float64{test.disturbed: 1.2}, test.costs...)
			line, _ := Fit(times, HashConstant)
			for _, time := range times {
				off := line.Residual(time)
				if time.Cost == test.disturbed && off < test.least {
					t.Errorf("the disturbed cost %d lies only %.1f %% off", time.Cost, 100*off)
				}
				if time.Cost != test.disturbed && math.Abs(off) > 0.08 {
					t.Errorf("cost %d was not disturbed and lies %.1f %% off", time.Cost, 100*off)
				}
			}
		})
	}
}

func TestTwoCostsShareWhatLiesBetweenThem(t *testing.T) {
	times := timesOf(asMeasured, map[int32]float64{10: 1.2}, 8, 10)
	line, _ := Fit(times, HashConstant)
	low, high := line.Residual(times[0]), line.Residual(times[1])
	if low > -0.07 || high < 0.07 {
		t.Errorf("residuals are %.1f %% and %.1f %%; two costs that do not double must both lie off", 100*low, 100*high)
	}
}

func TestNoConstantLiesOutsideWhatBcryptCanTake(t *testing.T) {
	tests := map[string]struct {
		disturbed map[int32]float64
		rounds    float64
	}{
		"never below zero":          {map[int32]float64{4: 0.5}, 0},
		"never above a few rounds":  {map[int32]float64{4: 3}, 4},
		"a slack of two is allowed": {map[int32]float64{4: 1 + 2/16.6}, 2.65},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			line, _ := Fit(timesOf(asMeasured, test.disturbed, 4, 10, 12), HashConstant)
			if got := line.Constant / line.Round; math.Abs(got-test.rounds) > 0.05 {
				t.Errorf("the constant is %.3f rounds, want %.3g", got, test.rounds)
			}
		})
	}
}

// Logins at a service that signs a token, at costs 8 and 10.
func TestALoginCanTakeMuchBesideItsHash(t *testing.T) {
	line, _ := Fit([]CostTime{{8, 0.0201}, {10, 0.0685}}, LoginConstant)
	if a, b := 1e3*line.Constant, 1e3*line.Round; math.Abs(a-3.97) > 0.01 || math.Abs(b-0.06302) > 0.0001 {
		t.Errorf("the line is %.4f ms + %.5f ms · 2^cost, want 3.97 + 0.06302", a, b)
	}
}

func TestALoginTakesNoMoreBesideItsHashThanTwoHashes(t *testing.T) {
	line, _ := Fit([]CostTime{{8, 0.060}, {10, 0.070}}, LoginConstant)
	if got := line.Constant / line.Round; math.Abs(got-LoginConstant) > 0.5 {
		t.Errorf("the constant is %.3f rounds, want %d", got, LoginConstant)
	}
}

func TestOneCostMakesNoLine(t *testing.T) {
	if line, ok := Fit(timesOf(asMeasured, nil, 8), HashConstant); ok {
		t.Errorf("the line of one cost is %+v", line)
	}
}
