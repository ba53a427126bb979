package loopback

import (
	"fmt"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// FromSend returns the latencies from sending. It fails if a login failed, because generators
// are compared below the service's bound.
func FromSend(records []measurement.Record) ([]time.Duration, error) {
	return latencies(records, func(r measurement.Record) time.Duration { return r.Sent })
}

// FromDue returns the latencies from the due times. It fails if a login failed.
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

// Throughput returns the completions per second between the first and the last. It is NaN for
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
