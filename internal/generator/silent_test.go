package generator_test

import (
	"io"
	"sync/atomic"
	"testing"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/generator"
)

// A service that moved to other CPUs cannot be compared with itself before, although no
// reading is missing. Neither the step in which it moved nor the run has evidence then.
func TestACpusetThatChangesInMidRunIsNoEvidence(t *testing.T) {
	for name, test := range map[string]struct {
		from        int64 // the first reading with other CPUs
		step, known bool
	}{
		"it never changes":         {from: 9, step: true, known: true},
		"in the counted part":      {from: 2},
		"after the counted part":   {from: 3, step: true},
		"before the first reading": {from: 1, step: true, known: true},
	} {
		t.Run(name, func(t *testing.T) {
			service := pod(t, func(n int64, s *evidence.Service) {
				if n >= test.from {
					s.Cpuset = "1"
				}
			})
			got, err := generator.Run(t.Context(), config(t, twenty(), "0", service), nil, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if step, known := got.Steps[0].Service != nil, len(got.Services) == 1; step != test.step || known != test.known {
				t.Errorf("the step has evidence: %v, the run knows its service: %v; want %v and %v", step, known, test.step, test.known)
			}
		})
	}
}

// starting is a generator that was throttled for two seconds while k6 started, and not
// after that.
type starting struct{ readings atomic.Int64 }

func (s *starting) ReadContainer() (evidence.Reading, error) {
	n := s.readings.Add(1)
	return evidence.Reading{
		InstanceID: "g", BootID: "boot", Cpuset: "1", QuotaMilliCPU: 500, PeriodMicroseconds: 100_000,
		UptimeMicroseconds: 4_000_000 + n*1_000_000, CPUMicroseconds: 2_000_000 + n*1000,
		ThrottledPeriods: 20, ThrottledMicroseconds: 2_000_000,
	}, nil
}

func TestK6sOwnStartIsNotCountedAsThrottling(t *testing.T) {
	got, err := generator.Run(t.Context(), config(t, twenty(), "0", pod(t, nil)), &starting{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	used := got.Steps[0].Generator
	if used == nil || used.ThrottledMicroseconds != 0 || used.ThrottledPeriods != 0 || used.CPUMicroseconds != 1000 {
		t.Errorf("the step's generator: %+v, want only what happened after the settling", used)
	}
}
