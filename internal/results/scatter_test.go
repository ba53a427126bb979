package results_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// sure returns a result with intervals a tenth below and above its numbers.
func sure(p95, capacity int64) v1beta1.VariantResult {
	result := found(p95, capacity)
	if capacity > 0 {
		result.CapacityInterval = &v1beta1.RateInterval{LowMilliPerSecond: 900 * capacity, HighMilliPerSecond: 1100 * capacity}
	}
	return result
}

// Three repetitions that are a tenth apart have a standard deviation of ln 1.1. The interval
// of their mean is 4.303 × ln 1.1 ÷ √3, a factor of 1.267.
func TestIntervalsIncludeScatter(t *testing.T) {
	latency := func(low, high int64) *handover.Interval {
		return &handover.Interval{LowMicroseconds: low, HighMicroseconds: high}
	}
	rate := func(low, high int64) *v1beta1.RateInterval {
		return &v1beta1.RateInterval{LowMilliPerSecond: low, HighMilliPerSecond: high}
	}
	unsure := func(p95, capacity int64) v1beta1.VariantResult {
		result := found(p95, capacity)
		result.P95Interval = nil
		return result
	}
	tests := map[string]struct {
		results []v1beta1.VariantResult
		p95     *handover.Interval
		rate    *v1beta1.RateInterval
	}{
		"a single repetition has no scatter": {
			[]v1beta1.VariantResult{sure(100, 20)}, latency(90_000, 110_000), rate(18_000, 22_000)},
		"equal repetitions have no scatter": {
			[]v1beta1.VariantResult{sure(100, 20), sure(100, 20)}, latency(90_000, 110_000), rate(18_000, 22_000)},
		"each end moves outwards, by the root of the sum of squares": {
			[]v1beta1.VariantResult{sure(1000, 1000), sure(1100, 1100), sure(1210, 1210)}, latency(848_879, 1_419_831), rate(848_879, 1_419_831)},
		"an Invalid repetition does not count": {
			[]v1beta1.VariantResult{sure(100, 20), judged(sure(900, 90), v1beta1.VerdictInvalid)}, latency(90_000, 110_000), rate(18_000, 22_000)},
		"one that met the objective at no rate does not count": {
			[]v1beta1.VariantResult{sure(100, 20), sure(100, 20), sure(100, 0)}, latency(90_000, 110_000), rate(18_000, 22_000)},
		"a number without an interval stays without one": {
			[]v1beta1.VariantResult{unsure(100, 20), unsure(200, 30)}, nil, nil},
		"without a capacity there is no interval of it": {
			[]v1beta1.VariantResult{sure(100, 0), sure(100, 0)}, latency(90_000, 110_000), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			row := theRow(trialsOf(test.results...)...)
			if diff := cmp.Diff(test.p95, row.P95Interval); diff != "" {
				t.Errorf("interval of p95 (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.rate, row.CapacityInterval); diff != "" {
				t.Errorf("interval of the capacity (-want +got):\n%s", diff)
			}
		})
	}
}

// An interval belongs to the repetition whose number is shown.
func TestIntervalBelongsToItsNumber(t *testing.T) {
	exact, vague := sure(100, 20), sure(100, 20)
	exact.P95Microseconds, exact.P95Interval = ptr.To[int64](100_001), &handover.Interval{LowMicroseconds: 99_000, HighMicroseconds: 101_000}
	exact.CapacityMilliPerSecond, exact.CapacityInterval = ptr.To[int64](19_999), &v1beta1.RateInterval{LowMilliPerSecond: 19_900, HighMilliPerSecond: 20_100}
	row := theRow(trialsOf(vague, exact)...)
	if between := row.P95Interval; between.LowMicroseconds < 98_900 || between.HighMicroseconds > 101_100 {
		t.Errorf("p95 of %d has the interval %+v", *row.P95Microseconds, between)
	}
	if between := row.CapacityInterval; between.LowMilliPerSecond < 19_800 || between.HighMilliPerSecond > 20_200 {
		t.Errorf("a capacity of %d has the interval %+v", *row.CapacityMilliPerSecond, between)
	}
}

func TestRowHasSpeedOfAllRepetitions(t *testing.T) {
	ran := func(low, median, high int64) v1beta1.VariantResult {
		result := found(100, 20)
		result.Speed = &v1beta1.RowSpeed{LowPerMille: low, MedianPerMille: median, HighPerMille: high}
		return result
	}
	tests := map[string]struct {
		results []v1beta1.VariantResult
		want    *v1beta1.RowSpeed
	}{
		"a single repetition":                                      {[]v1beta1.VariantResult{ran(950, 1000, 1080)}, ran(950, 1000, 1080).Speed},
		"the widest range and the median of medians":               {[]v1beta1.VariantResult{ran(950, 1040, 1080), ran(930, 1000, 1070), ran(960, 990, 1110)}, ran(930, 1000, 1110).Speed},
		"of two medians the slower":                                {[]v1beta1.VariantResult{ran(950, 1000, 1080), ran(940, 1020, 1070)}, ran(940, 1020, 1080).Speed},
		"a repetition without a speed does not count":              {[]v1beta1.VariantResult{found(100, 20), ran(950, 1000, 1080)}, ran(950, 1000, 1080).Speed},
		"nil if no speed is known":                                 {[]v1beta1.VariantResult{found(100, 20)}, nil},
		"an Invalid repetition does not count if others are Valid": {[]v1beta1.VariantResult{ran(950, 1000, 1080), judged(ran(500, 1500, 2000), v1beta1.VerdictInvalid)}, ran(950, 1000, 1080).Speed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, theRow(trialsOf(test.results...)...).Speed); diff != "" {
				t.Errorf("speed (-want +got):\n%s", diff)
			}
		})
	}
}
