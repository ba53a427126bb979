package measurement

import (
	"math/bits"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
)

const (
	// finest and finer are how many buckets a doubling of latency has: finest in the steps that answers
	// are taken from, finer in the others. coarsest is the smallest number to which they are merged.
	finest, finer, coarsest = 256, 128, 4
	// UnderWayPoints is the number of moments at which requests under way are counted.
	UnderWayPoints = 60
)

// histogram counts sorted latencies. It returns nil without any, and merges buckets if there are too many.
func histogram(sorted []int64, bucketsPerDoubling int32) *handover.Histogram {
	if len(sorted) == 0 {
		return nil
	}
	h := &handover.Histogram{BucketsPerDoubling: bucketsPerDoubling}
	for _, latency := range sorted {
		h.Add(latency, 1)
	}
	for len(h.Buckets) > handover.MostBuckets {
		h = merged(h)
	}
	return h
}

func merged(h *handover.Histogram) *handover.Histogram {
	half := &handover.Histogram{BucketsPerDoubling: h.BucketsPerDoubling / 2}
	for i, bucket := range h.Buckets {
		low, _ := h.Edges(bucket)
		half.Add(low, h.Counts[i])
	}
	return half
}

// underWay counts the requests that were sent and had not ended, at evenly spaced moments.
// Each moment is in the middle of its share of the window.
func underWay(records []Record, from, over time.Duration) []int64 {
	points := make([]int64, UnderWayPoints)
	for i := range points {
		moment := from + over*time.Duration(2*i+1)/(2*UnderWayPoints)
		for _, r := range records {
			if r.Sent <= moment && (r.Outcome == Cut || r.Ended > moment) {
				points[i]++
			}
		}
	}
	return points
}

// walkHistogram walks for each bucket the distance from the one before, with a bit that says whether it has
// more than one login, and then how many.
func walkHistogram(p *positions, h *handover.Histogram, successes int64) {
	doubling, buckets := int64(h.BucketsPerDoubling), int64(len(h.Buckets))
	p.unsigned(&doubling)
	p.unsigned(&buckets)
	if p.reading {
		if bits.OnesCount64(uint64(doubling)) != 1 || doubling < coarsest || doubling > finest || buckets > handover.MostBuckets {
			p.fail("a histogram has %d buckets, %d per doubling", buckets, doubling)
			return
		}
		h.BucketsPerDoubling, h.Buckets, h.Counts = int32(doubling), make([]int32, buckets), make([]int64, buckets)
	}
	last := int64(-1)
	for i := range h.Buckets {
		both := (int64(h.Buckets[i]) - last - 1) << 1
		if h.Counts[i] > 1 {
			both |= 1
		}
		p.unsigned(&both)
		if last += 1 + both>>1; last >= handover.Doublings*doubling {
			p.fail("a histogram has a bucket %d", last)
			return
		}
		h.Buckets[i] = int32(last)
		count := int64(1)
		if both&1 == 1 {
			count = h.Counts[i]
			p.above(&count, 2)
		}
		h.Counts[i] = count
		successes -= count
	}
	if successes != 0 {
		p.fail("a histogram has %d logins too few", successes)
	}
}

func underWayLine(run Run) string {
	if len(run.UnderWay) != UnderWayPoints {
		return ""
	}
	var p positions
	walkUnderWay(&p, slices.Clone(run.UnderWay))
	if p.finish() != nil {
		return ""
	}
	return "underway " + p.text() + "\n"
}

func walkUnderWay(p *positions, points []int64) {
	var last int64
	for i := range points {
		p.near(&points[i], last)
		last = points[i]
	}
}

func decodeUnderWay(run *Run, text string) error {
	p := reader(text)
	run.UnderWay = make([]int64, UnderWayPoints)
	walkUnderWay(p, run.UnderWay)
	return p.finish()
}
