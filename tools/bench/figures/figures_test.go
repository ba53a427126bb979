package figures_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hashmark-dev/hashmark/tools/bench/figures"
)

var nearly = cmp.Options{cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateNaNs()}

func TestMedian(t *testing.T) {
	for name, test := range map[string]struct {
		values []float64
		want   float64
	}{
		"without values it is NaN":             {nil, math.NaN()},
		"of three it is the middle one":        {[]float64{9, 1, 4}, 4},
		"of four it is the mean of the middle": {[]float64{9, 1, 4, 6}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, figures.Median(test.values), nearly); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPercentileIsTheTimeOfARank(t *testing.T) {
	var hundred []time.Duration
	for i := 100; i >= 1; i-- {
		hundred = append(hundred, time.Duration(i))
	}
	for name, test := range map[string]struct {
		times []time.Duration
		share float64
		want  time.Duration
	}{
		"without times it is 0":                      {nil, 0.95, 0},
		"of a hundred p95 is the ninety-fifth":       {hundred, 0.95, 95},
		"of nineteen p95 is the slowest":             {hundred[81:], 0.95, 19},
		"a share of 0 is the fastest":                {hundred, 0, 1},
		"of 41 p95 is the thirty-ninth, not between": {hundred[59:], 0.95, 39},
	} {
		t.Run(name, func(t *testing.T) {
			if got := figures.Percentile(test.times, test.share); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestUpperBoundIsTheEndOfTheBucketOfARank(t *testing.T) {
	hundred := map[float64]float64{0.01: 90, 0.1: 99, 1: 99, math.Inf(1): 100}
	for name, test := range map[string]struct {
		cumulative map[float64]float64
		share      float64
		want       float64
	}{
		"without buckets it is NaN":               {nil, 0.99, math.NaN()},
		"without observations it is NaN":          {map[float64]float64{0.1: 0, math.Inf(1): 0}, 0.99, math.NaN()},
		"a share on a bucket's edge is in it":     {hundred, 0.99, 0.1},
		"a share just above is in the next":       {hundred, 0.991, math.Inf(1)},
		"a small share is in the fastest bucket":  {hundred, 0.5, 0.01},
		"one observation has only one percentile": {map[float64]float64{0.1: 0, 1: 1, math.Inf(1): 1}, 0.5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, figures.UpperBound(test.cumulative, test.share), nearly); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDispersion(t *testing.T) {
	even := []time.Duration{0, 5, 10, 15, 20, 25}
	if got := figures.Dispersion(even, 10, 3); got != 0 {
		t.Errorf("evenly spaced arrivals have a dispersion of %v", got)
	}
	// Counts 4, 0, 2: mean 2, variance (4 + 4 + 0) ÷ 2 = 4.
	crowded := []time.Duration{-5, 1, 2, 3, 4, 25, 26, 31}
	if got := figures.Dispersion(crowded, 10, 3); got != 2 {
		t.Errorf("the dispersion is %v, want 2; times outside must not count", got)
	}
}

func TestRising(t *testing.T) {
	rungs := func(p95s ...float64) []figures.Step {
		var all []figures.Step
		for i, p95 := range p95s {
			all = append(all, figures.Step{Rate: float64(i + 1), P95: p95})
		}
		return all
	}
	for name, test := range map[string]struct{ given, want []figures.Step }{
		"rising values stay":                     {rungs(1, 2, 2, 5), rungs(1, 2, 2, 5)},
		"two that fall meet in the middle":       {rungs(1, 8, 2, 16), rungs(1, 4, 4, 16)},
		"a fall is merged as far as needed":      {rungs(4, 4, 0.5), rungs(2, 2, 2)},
		"an overloaded rung stays above the top": {rungs(1, 2, math.Inf(1)), rungs(1, 2, math.Inf(1))},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, figures.Rising(test.given), nearly); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCrossing(t *testing.T) {
	ladder := []figures.Step{{10, 1}, {20, 2}, {30, 8}}
	for name, test := range map[string]struct {
		rungs     []figures.Step
		objective float64
		want      float64
	}{
		"at a rung it is the rung's rate":                {ladder, 2, 20},
		"between two it is interpolated in logarithms":   {ladder, 4, 25},
		"above all it is NaN":                            {ladder, 9, math.NaN()},
		"below all it is NaN":                            {ladder, 0.5, math.NaN()},
		"before an overload it is the last that held it": {[]figures.Step{{10, 1}, {20, math.Inf(1)}}, 4, 10},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, figures.Crossing(test.rungs, test.objective), nearly); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHowFarValuesLieApart(t *testing.T) {
	for name, test := range map[string]struct {
		values                   []float64
		deviation, span, farther float64
	}{
		"without values all are NaN":    {nil, math.NaN(), math.NaN(), math.NaN()},
		"one value has no distance":     {[]float64{3}, math.NaN(), 1, 0},
		"equal values have no distance": {[]float64{3, 3, 3}, 0, 1, 0},
		"the farthest counts":           {[]float64{9, 10, 12}, math.Sqrt(7.0/3) / (31.0 / 3), 4.0 / 3, 0.2},
		"NaN is not ignored":            {[]float64{9, math.NaN(), 12}, math.NaN(), math.NaN(), math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			got := []float64{figures.Deviation(test.values), figures.Range(test.values), figures.Farthest(test.values)}
			if diff := cmp.Diff([]float64{test.deviation, test.span, test.farther}, got, nearly); diff != "" {
				t.Errorf("deviation, range and farthest (-want +got):\n%s", diff)
			}
		})
	}
}
