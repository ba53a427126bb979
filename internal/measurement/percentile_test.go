package measurement

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// ladder returns latencies with the value i at rank i.
func ladder(successes, scheduled int) latencies {
	l := latencies{scheduled: scheduled}
	for i := range successes {
		l.successes = append(l.successes, int64(i+1))
	}
	return l
}

func TestPercentileIsOfNearestRank(t *testing.T) {
	tests := map[string]struct {
		latencies latencies
		perMille  int
		want      int64 // 0 for absent
	}{
		"p95 of twenty is the nineteenth":                             {ladder(20, 20), 950, 19},
		"p95 of a hundred is the ninety-fifth":                        {ladder(100, 100), 950, 95},
		"p95 of a hundred and one is the ninety-sixth":                {ladder(101, 101), 950, 96},
		"p50 of an odd number is the middle one":                      {ladder(21, 21), 500, 11},
		"p99 of a hundred is the ninety-ninth":                        {ladder(100, 100), 990, 99},
		"five failures of a hundred leave the slowest success as p95": {ladder(95, 100), 950, 95},
		"six failures of a hundred leave no p95":                      {ladder(94, 100), 950, 0},
		"nineteen successes are too few":                              {ladder(19, 19), 500, 0},
		"no logins have no percentile":                                {ladder(0, 0), 950, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var want *int64
			if test.want != 0 {
				want = &test.want
			}
			if diff := cmp.Diff(want, test.latencies.percentile(test.perMille)); diff != "" {
				t.Errorf("the percentile differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIntervalOfP95(t *testing.T) {
	tests := map[string]struct {
		latencies latencies
		want      *handover.Interval
	}{
		"71 logins have no upper bound of p95":          {ladder(71, 71), nil},
		"72 have one, the slowest":                      {ladder(72, 72), &handover.Interval{LowMicroseconds: 64, HighMicroseconds: 72}},
		"a hundred span ranks 90 to 100":                {ladder(100, 100), &handover.Interval{LowMicroseconds: 90, HighMicroseconds: 100}},
		"a failure at the upper rank leaves it open":    {ladder(99, 100), nil},
		"failures above the upper rank do not matter":   {ladder(964, 1000), &handover.Interval{LowMicroseconds: 936, HighMicroseconds: 964}},
		"no logins have no interval, and do not panic":  {ladder(0, 0), nil},
		"only failures have no interval, and no panics": {ladder(0, 100), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.latencies.interval(950)); diff != "" {
				t.Errorf("the interval differs (-want +got):\n%s", diff)
			}
		})
	}
}

// The ranks are compared with the definition: the binomial distribution summed term by
// term.
func TestIntervalRanksAreTheTightestThatHold(t *testing.T) {
	for _, n := range []int{72, 73, 99, 100, 144, 480, 2000} {
		cumulative := make([]float64, n+1)
		sum := 0.0
		for k := range cumulative {
			sum += math.Exp(logChoose(n, k) + float64(k)*math.Log(0.95) + float64(n-k)*math.Log(0.05))
			cumulative[k] = sum
		}
		lower, upper := intervalRanks(950, n)
		if cumulative[lower-1] > 0.025 || cumulative[lower] <= 0.025 {
			t.Errorf("n = %d: the lower rank %d leaves %.4f below it", n, lower, cumulative[lower-1])
		}
		if 1-cumulative[upper-1] > 0.025 || 1-cumulative[upper-2] <= 0.025 {
			t.Errorf("n = %d: the upper rank %d leaves %.4f above it", n, upper, 1-cumulative[upper-1])
		}
	}
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
