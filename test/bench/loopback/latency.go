package loopback

import (
	"fmt"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// FromSend are the latencies from sending. They are an error where a login
// failed: generators are compared at loads that the service bears.
func FromSend(records []measurement.Record) ([]time.Duration, error) {
	return latencies(records, func(r measurement.Record) time.Duration { return r.Sent })
}

// FromDue are the latencies from the due times, on the same terms.
func FromDue(records []measurement.Record) ([]time.Duration, error) {
	return latencies(records, func(r measurement.Record) time.Duration { return r.Due })
}

func latencies(records []measurement.Record, from func(measurement.Record) time.Duration) ([]time.Duration, error) {
	var all []time.Duration
	for _, record := range records {
		if record.Outcome != measurement.OK {
			return nil, fmt.Errorf("login %d of %d did not succeed", record.Index, len(records))
		}
		all = append(all, record.Ended-from(record))
	}
	return all, nil
}

// Throughput is completions per second between the first and the last, NaN of
// fewer than two.
func Throughput(records []measurement.Record) float64 {
	if len(records) < 2 {
		return math.NaN()
	}
	first, last := records[0].Ended, records[0].Ended
	for _, record := range records {
		first, last = min(first, record.Ended), max(last, record.Ended)
	}
	return float64(len(records)-1) / (last - first).Seconds()
}
