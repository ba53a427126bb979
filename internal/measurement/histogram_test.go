package measurement

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHistogramHoldsEverySuccessInItsBucket(t *testing.T) {
	var sorted []int64
	for v := int64(1000); v <= 900_000; v += v/7 + 13 {
		sorted = append(sorted, v)
	}
	got := histogram(sorted)
	want := &Histogram{LowMicroseconds: sorted[0], HighMicroseconds: sorted[len(sorted)-1]}
	for _, v := range sorted {
		for i := range Buckets {
			end := float64(want.LowMicroseconds) * math.Pow(float64(want.HighMicroseconds)/float64(want.LowMicroseconds), float64(i+1)/Buckets)
			if float64(v) <= end*(1+1e-12) {
				want.Counts[i]++
				break
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the histogram differs (-want +got):\n%s", diff)
	}
}

func TestHistogramAtItsEdges(t *testing.T) {
	if got := histogram(nil); got != nil {
		t.Errorf("no successes make no histogram, got %v", got)
	}
	for name, sorted := range map[string][]int64{
		"all latencies are equal":   {500, 500, 500},
		"all latencies are nothing": {0, 0, 0},
	} {
		if got := histogram(sorted); got.Counts[0] != 3 || got.LowMicroseconds < 1 {
			t.Errorf("%s: want three in the first bucket from 1 on, got %v", name, got)
		}
	}
}

func TestUnderWayCountsRequestsBetweenSendingAndEnd(t *testing.T) {
	const s = time.Second
	records := []Record{
		{Sent: 0, Ended: 30 * s, Outcome: OK},           // until half-way
		{Sent: 20 * s, Ended: 40 * s, Outcome: Refused}, // from a third to two thirds
		{Sent: 45 * s, Outcome: Cut},                    // to the end
	}
	got := underWay(records, 0, 60*s)
	want := slices.Concat(
		slices.Repeat([]int64{1}, 20), slices.Repeat([]int64{2}, 10), slices.Repeat([]int64{1}, 10),
		slices.Repeat([]int64{0}, 5), slices.Repeat([]int64{1}, 15))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests under way differ (-want +got):\n%s", diff)
	}
}
