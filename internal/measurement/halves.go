package measurement

import "slices"

// setHalves sets the median latencies of the logins due in each half of an open step's
// counted part. In a steady state the two differ only at random. A queue that still grows
// makes the second larger.
func (w window) setHalves(s *StepResult, records []Record) {
	var halves [2]latencies
	middle := w.from + (w.to-w.from)/2
	firstHalf := 0
	for _, r := range records {
		if !w.counts(r) {
			continue
		}
		half := 1
		if r.Due < middle {
			half = 0
			// Logins are numbered in the order of their due times. So a login that was never
			// sent, and has no record, belongs to the half of the logins around it.
			firstHalf = max(firstHalf, r.Index-w.SettleRequests+1)
		}
		if w.outcome(r) == OK {
			halves[half].successes = append(halves[half].successes, w.latency(r))
		}
	}
	halves[0].scheduled, halves[1].scheduled = firstHalf, w.Requests-firstHalf
	for i := range halves {
		slices.Sort(halves[i].successes)
	}
	s.FirstHalfP50Microseconds = halves[0].percentile(500)
	s.SecondHalfP50Microseconds = halves[1].percentile(500)
}
