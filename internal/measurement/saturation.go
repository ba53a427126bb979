package measurement

import (
	"slices"
	"time"
)

// logins returns the logins of the counted part of a closed loop. Each success counts by
// the share of its time that is in the counted part. In a loop that is always full, this is
// unbiased whether logins are answered one by one or in batches.
//
// A login that was answered after the counted part counts as at least as long as the lower
// quartile of those that were answered in it. If all logins share the CPU, its own time
// would be too short: once callers stop, the last logins have the CPU for themselves. With
// 66 callers, that made throughput 3 % too high.
func (w window) logins(records []Record) float64 {
	shortest := w.lowerQuartile(records)
	var logins float64
	for _, r := range records {
		if r.Outcome != OK || r.Ended < w.from || r.Sent >= w.to {
			continue
		}
		inside, span := min(r.Ended, w.to)-max(r.Sent, w.from), r.Ended-r.Sent
		if !w.completes(r) {
			span = max(span, shortest)
		}
		if span == 0 {
			logins++ // completely in the counted part
			continue
		}
		logins += float64(inside) / float64(span)
	}
	return logins
}

// lowerQuartile returns the lower quartile of the times of the logins that were answered in
// the counted part.
func (w window) lowerQuartile(records []Record) time.Duration {
	var spans []time.Duration
	for _, r := range records {
		if w.completes(r) {
			spans = append(spans, r.Ended-r.Sent)
		}
	}
	slices.Sort(spans)
	if len(spans) == 0 {
		return 0
	}
	return spans[len(spans)/4]
}
