package measurement

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// TestAHistogramCountsEachLatencyBetweenTheEdgesOfItsBucket draws latencies from a microsecond to days.
func TestAHistogramCountsEachLatencyBetweenTheEdgesOfItsBucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sorted := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 2_000), rapid.Int64Range(0, 60_000_000), rapid.Int64Range(0, 1<<39-1)), 1, 300).Draw(t, "latencies")
		slices.Sort(sorted)
		h := histogram(sorted, finest)
		if !slices.IsSorted(h.Buckets) || len(h.Buckets) != len(h.Counts) {
			t.Fatalf("the histogram is %+v", h)
		}
		at := 0
		for i, bucket := range h.Buckets {
			low, high := h.Edges(bucket)
			if _, before := h.Edges(bucket - 1); bucket > 0 && before != low {
				t.Fatalf("bucket %d starts at %d, and the one before ends at %d", bucket, low, before)
			}
			if width := high - low; width > 1 && 256*width > low {
				t.Fatalf("bucket %d is from %d to %d", bucket, low, high)
			}
			for range h.Counts[i] {
				if v := sorted[at]; v < low || v >= high {
					t.Fatalf("%d µs is in the bucket from %d to %d", v, low, high)
				}
				at++
			}
		}
		if at != len(sorted) {
			t.Fatalf("%d of %d latencies were counted", at, len(sorted))
		}
		for per := int32(finest / 2); per >= coarsest; per /= 2 {
			h = merged(h)
			if diff := cmp.Diff(histogram(sorted, per), h); diff != "" {
				t.Fatalf("counted in %d buckets per doubling, and merged to as many (-counted +merged):\n%s", per, diff)
			}
		}
	})
}

func TestAHistogramIsBounded(t *testing.T) {
	if got := histogram(nil, finest); got != nil {
		t.Errorf("no successes make no histogram, got %v", got)
	}
	var sorted []int64
	for latency := int64(-5); latency < 1<<45; latency += 1 + max(0, latency)/500 {
		sorted = append(sorted, latency)
	}
	h := histogram(sorted, finest)
	var logins int64
	for _, count := range h.Counts {
		logins += count
	}
	if len(h.Buckets) > handover.MostBuckets || h.BucketsPerDoubling >= finest || logins != int64(len(sorted)) {
		t.Errorf("%d latencies are %d in %d buckets, %d per doubling", len(sorted), logins, len(h.Buckets), h.BucketsPerDoubling)
	}
}

func TestAnImpossibleHistogramHasEdges(t *testing.T) {
	for _, per := range []int32{-4, 0, 3, 256, math.MaxInt32} {
		h := handover.Histogram{BucketsPerDoubling: per}
		for _, bucket := range []int32{math.MinInt32, -1, 0, 5, math.MaxInt32} {
			if low, high := h.Edges(bucket); low < 0 || high <= low {
				t.Errorf("bucket %d of %d per doubling is from %d to %d", bucket, per, low, high)
			}
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
