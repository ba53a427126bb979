package measurement

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
