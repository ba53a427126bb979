package measurement_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// probesAt returns a probe per second from the plan's zero on: answered in as many milliseconds
// as given, or failed if that is 0.
func probesAt(milliseconds ...int) []measurement.Probe {
	var probes []measurement.Probe
	for second, took := range milliseconds {
		probes = append(probes, measurement.Probe{Sent: time.Duration(second) * time.Second, Took: time.Duration(took) * time.Millisecond, OK: took > 0})
	}
	return probes
}

func TestProbesCountFromOneMomentUntilBeforeAnother(t *testing.T) {
	microseconds := func(n int64) *int64 { return &n }
	for name, tt := range map[string]struct {
		pods [][]measurement.Probe
		want *handover.Alive
	}{
		"none were sent":                  {[][]measurement.Probe{nil}, nil},
		"only before and after":           {[][]measurement.Probe{append(probesAt(1, 1), measurement.Probe{Sent: 6 * time.Second})}, nil},
		"all were answered":               {[][]measurement.Probe{probesAt(900, 900, 4, 1, 3, 2, 900)}, &handover.Alive{Probes: 4, P95Microseconds: microseconds(4000)}},
		"one failed":                      {[][]measurement.Probe{probesAt(1, 1, 4, 0, 3, 2)}, &handover.Alive{Probes: 4, Failed: 1, FailedInARow: 1}},
		"three failed in a row":           {[][]measurement.Probe{probesAt(1, 1, 0, 0, 0, 2)}, &handover.Alive{Probes: 4, Failed: 3, FailedInARow: 3}},
		"a row that began before":         {[][]measurement.Probe{probesAt(0, 0, 0, 0, 3, 2)}, &handover.Alive{Probes: 4, Failed: 2, FailedInARow: 2}},
		"three failed, in two pods":       {[][]measurement.Probe{probesAt(1, 1, 0, 0, 1, 1), probesAt(1, 1, 0, 1, 1, 1)}, &handover.Alive{Probes: 8, Failed: 3, FailedInARow: 2}},
		"one ended after a later one did": {[][]measurement.Probe{{{Sent: 3 * time.Second, OK: true, Took: 2}, {Sent: 2 * time.Second}, {Sent: 4 * time.Second}}}, &handover.Alive{Probes: 3, Failed: 2, FailedInARow: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, measurement.AliveIn(tt.pods, 2*time.Second, 6*time.Second)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
