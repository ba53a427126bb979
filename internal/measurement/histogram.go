package measurement

import (
	"math"
	"time"
)

const (
	// Buckets of a histogram.
	Buckets = 32
	// UnderWayPoints is the number of moments at which requests under way are counted.
	UnderWayPoints = 60
)

// Histogram is the distribution of latencies. Bucket i ends at Low × (High ÷
// Low)^((i+1)/32) and starts where the previous bucket ends.
type Histogram struct {
	// LowMicroseconds is the fastest success.
	LowMicroseconds int64
	// HighMicroseconds is the slowest.
	HighMicroseconds int64
	Counts           [Buckets]int64
}

// histogram returns the histogram of sorted latencies, or nil without any.
func histogram(sorted []int64) *Histogram {
	if len(sorted) == 0 {
		return nil
	}
	h := &Histogram{
		LowMicroseconds:  max(1, sorted[0]),
		HighMicroseconds: max(1, sorted[len(sorted)-1]),
	}
	spread := math.Log(float64(h.HighMicroseconds) / float64(h.LowMicroseconds))
	for _, latency := range sorted {
		h.Counts[bucket(max(1, latency), h.LowMicroseconds, spread)]++
	}
	return h
}

func bucket(latency, low int64, spread float64) int {
	if latency <= low || spread == 0 {
		return 0
	}
	share := math.Log(float64(latency)/float64(low)) / spread
	return min(max(int(math.Ceil(share*Buckets))-1, 0), Buckets-1)
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

// distributionLines returns the lines that are left out first if there is too little room,
// the least important last.
func distributionLines(run Run) []string {
	var lines []string
	if run.Histogram != nil {
		var p positions
		h := *run.Histogram
		walkHistogram(&p, &h)
		if p.finish() == nil {
			lines = append(lines, "histogram "+p.text()+"\n")
		}
	}
	if len(run.UnderWay) == UnderWayPoints {
		var p positions
		walkUnderWay(&p, append([]int64(nil), run.UnderWay...))
		if p.finish() == nil {
			lines = append(lines, "underway "+p.text()+"\n")
		}
	}
	return lines
}

func walkHistogram(p *positions, h *Histogram) {
	p.unsigned(&h.LowMicroseconds)
	p.above(&h.HighMicroseconds, h.LowMicroseconds)
	for i := range h.Counts {
		p.unsigned(&h.Counts[i])
	}
}

func decodeHistogram(run *Run, text string) error {
	p := reader(text)
	run.Histogram = new(Histogram)
	walkHistogram(p, run.Histogram)
	return p.finish()
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
