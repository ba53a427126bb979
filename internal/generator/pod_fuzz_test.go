package generator

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// answers are the responses to all requests, one after another; the last one is repeated.
type answers struct {
	bodies   []string
	requests int
}

func (a *answers) Get(context.Context, string, int64) (int, []byte, error) {
	body := a.bodies[min(a.requests, len(a.bodies)-1)]
	a.requests++
	return http.StatusOK, []byte(body), nil
}

// pods returns a collector for pods that answer with these bodies.
func pods(count int, bodies ...string) (collector, *answers) {
	addresses := make([]string, count)
	for i := range addresses {
		addresses[i] = "http://pod.test:8080"
	}
	c := newCollector(addresses, nil, slog.New(slog.DiscardHandler))
	given := &answers{bodies: bodies}
	c.client = given
	return c, given
}

// FuzzEvidence: what two readings of a pod say is a step of a message that can be read.
func FuzzEvidence(f *testing.F) {
	f.Add(`{"instanceID":"a","bootID":"b","cpuset":"0-3","goMaxProcs":1,"hashes":1}`, `{"instanceID":"a","bootID":"b","cpuset":"0-3","goMaxProcs":1,"hashes":5,"inFlight":2}`)
	f.Add(`{"hashes":-9223372036854775808}`, `{"hashes":9223372036854775807,"inFlight":-1,"memoryPeakBytes":9223372036854775807}`)
	f.Add(`{"bootID":"a b\nc","cpuset":"\u0000","uptimeMicroseconds":0}`, `{"bootID":"a b\nc","cpuset":"\u0000","uptimeMicroseconds":9223372036854775807,"inFlight":9223372036854775807}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		one, _ := pods(1, first, second)
		readings := stepReadings{settled: one.read(t.Context()), countedEnd: one.read(t.Context()), drained: one.read(t.Context())}
		// A service of several replicas is a sum.
		for _, r := range []*reading{&readings.settled, &readings.countedEnd, &readings.drained} {
			r.services = append(r.services, r.services[0])
		}
		var step measurement.StepResult
		readings.addTo(&step, true)
		if step.Service != nil {
			if d := step.Service; min(d.ElapsedMicroseconds, d.CPUMicroseconds, d.Periods, d.ThrottledPeriods, d.Hashes, d.TimedHashes, d.HashMicroseconds, d.Refused, d.Abandoned) < 0 {
				t.Errorf("a negative difference: %+v", *d)
			}
		}
		if waiting := step.ServiceInFlightAfterDrain; waiting != nil && *waiting < 0 {
			t.Errorf("%d logins are in flight", *waiting)
		}
		for _, pod := range servicesOf([]stepReadings{readings}, 2) {
			if pod.MemoryPeakKiB < 0 {
				t.Errorf("a negative peak of memory: %d", pod.MemoryPeakKiB)
			}
		}
		run := measurement.Run{K6Version: "v1.8.1", GoVersion: "go1.26", Steps: []measurement.StepResult{step}, Services: servicesOf([]stepReadings{readings}, 2)}
		message, err := measurement.Encode(run)
		if err != nil {
			return // the load ends with this error
		}
		if _, err := measurement.Decode(message); err != nil {
			t.Errorf("the message of these readings can't be read: %v\n%s", err, message)
		}
	})
}

// FuzzSpeed: a pod's seconds make a timeline with a bounded number of windows and hash times, by a
// bounded number of requests.
func FuzzSpeed(f *testing.F) {
	f.Add(`{"uptimeMicroseconds":5000000}`, `{"from":0,"nanoseconds":[1000000,2000000],"hashes":[1,1]}`, int64(60))
	f.Add(`{"uptimeMicroseconds":-9223372036854775808}`, `{"from":0,"nanoseconds":[9223372036854775807],"hashes":[9223372036854775807]}`, int64(1))
	f.Add(`{"uptimeMicroseconds":9223372036854775807}`, `{"from":0,"nanoseconds":[],"hashes":[]}`, int64(86400))
	f.Fuzz(func(t *testing.T, reading, page string, seconds int64) {
		c, transport := pods(1, reading, page)
		speeds := c.readSpeeds(t.Context(), time.Now())
		if most := 1 + longestLoad/evidence.MostSpeedSeconds + 1; transport.requests > most {
			t.Errorf("%d requests, at most %d are needed", transport.requests, most)
		}
		timeline := timelineOf(lasting(time.Duration(1+uint64(seconds)%longestLoad)*time.Second), speeds)
		if timeline == nil {
			return
		}
		if len(timeline.HashNanoseconds) > measurement.MostWindows {
			t.Errorf("%d windows", len(timeline.HashNanoseconds))
		}
		for _, hash := range timeline.HashNanoseconds {
			if hash < 0 || hash > int64(longestHash) {
				t.Errorf("a hash of %d ns", hash)
			}
		}
	})
}
