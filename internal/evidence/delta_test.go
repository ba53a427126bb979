package evidence

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func reading() Service {
	return Service{
		Reading: Reading{
			InstanceID: "a1", BootID: "b1", Cpuset: "0", GoVersion: "go1.26.8", GoMaxProcs: 1,
			UptimeMicroseconds: 1_000_000, CPUMicroseconds: 200_000,
			QuotaMilliCPU: 250, PeriodMicroseconds: 100_000,
			ThrottledPeriods: 5, ThrottledMicroseconds: 300_000,
			CPUIdleMicroseconds: 9_000_000, CPUStealMicroseconds: 10_000, CPUBusyMicroseconds: 500_000,
		},
		Hashes: 10, TimedHashes: 9, HashMicroseconds: 180_000, Refused: 1, Abandoned: 2, InFlight: 3, Queued: 1, Workers: 1, QueueLength: 64,
	}
}

func later() Service {
	s := reading()
	s.UptimeMicroseconds += 10_040_000
	s.CPUMicroseconds += 2_500_000
	s.ThrottledPeriods += 71
	s.ThrottledMicroseconds += 5_000_000
	s.CPUIdleMicroseconds += 7_400_000
	s.CPUStealMicroseconds += 20_000
	s.CPUBusyMicroseconds += 2_600_000
	s.Hashes += 83
	s.TimedHashes += 80
	s.HashMicroseconds += 2_300_000
	s.Refused += 4
	s.Abandoned += 6
	return s
}

func TestBetween(t *testing.T) {
	t.Parallel()
	whole := Delta{
		ElapsedMicroseconds: 10_040_000, CPUMicroseconds: 2_500_000, Periods: 100,
		ThrottledPeriods: 71, ThrottledMicroseconds: 5_000_000,
		IdleMicroseconds: 7_400_000, StealMicroseconds: 20_000, BusyMicroseconds: 2_600_000,
		Hashes: 83, TimedHashes: 80, HashMicroseconds: 2_300_000, Refused: 4, Abandoned: 6,
	}
	tests := map[string]struct {
		change func(before, after *Service)
		want   func(*Delta)
		err    error
	}{
		"every counter is subtracted, and periods are counted by the clock": {},
		"another instance id means a restart": {
			change: func(_, after *Service) { after.InstanceID = "a2" }, err: ErrRestarted,
		},
		"another boot id means another machine": {
			change: func(_, after *Service) { after.BootID = "b2" }, err: ErrRestarted,
		},
		"another cpuset makes the CPUs' counters incomparable": {
			change: func(_, after *Service) { after.Cpuset = "1" }, err: ErrMoved,
		},
		"a counter that falls is an error, not a negative number": {
			change: func(before, _ *Service) { before.Hashes = 1000 }, err: ErrDecreased,
		},
		"readings in the wrong order are an error": {
			change: func(before, after *Service) { *before, *after = *after, *before }, err: ErrDecreased,
		},
		"without a quota there are no periods": {
			change: func(before, after *Service) {
				before.QuotaMilliCPU, after.QuotaMilliCPU = 0, 0
			},
			want: func(d *Delta) { d.Periods = 0 },
		},
		"idle and steal time that the kernel decreased count as 0": {
			change: func(_, after *Service) {
				after.CPUIdleMicroseconds = reading().CPUIdleMicroseconds - 10_000
				after.CPUStealMicroseconds = 0
			},
			want: func(d *Delta) { d.IdleMicroseconds, d.StealMicroseconds = 0, 0 },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after, want := reading(), later(), whole
			if test.change != nil {
				test.change(&before, &after)
			}
			if test.want != nil {
				test.want(&want)
			}
			got, err := Between(before, after)
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("delta (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSumAddsEveryCounter(t *testing.T) {
	t.Parallel()
	var one Delta
	fields := reflect.ValueOf(&one).Elem()
	for i := range fields.NumField() {
		fields.Field(i).SetInt(int64(i) + 1)
	}
	if got, want := len(one.counters()), fields.NumField(); got != want {
		t.Fatalf("counters lists %d numbers of %d", got, want)
	}
	total := reflect.ValueOf(Sum(one, one, one))
	for i := range total.NumField() {
		if got, want := total.Field(i).Int(), 3*(int64(i)+1); got != want {
			t.Errorf("%s = %d, want %d", total.Type().Field(i).Name, got, want)
		}
	}
	if diff := cmp.Diff(Delta{}, Sum()); diff != "" {
		t.Errorf("a sum of nothing (-want +got):\n%s", diff)
	}
}

func TestServiceIsOneFlatObject(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(reading())
	if err != nil {
		t.Fatal(err)
	}
	var flat map[string]any
	if err := json.Unmarshal(text, &flat); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"instanceID", "cpuMicroseconds", "hashes", "timedHashes", "hashMicroseconds", "queueLength"} {
		if _, there := flat[name]; !there {
			t.Errorf("%s is missing from %s", name, text)
		}
	}
	var back Service
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(reading(), back); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
}
