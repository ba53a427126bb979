package generator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// Two steps of ten seconds, with 100 and 300 logins: a companion of a tenth of a CPU uses 100 and 800 ms, and one without a
// quota has a CPU.
func TestWhatCompanionsUse(t *testing.T) {
	at := func(seconds, used, quota int64) *evidence.Service {
		return &evidence.Service{Reading: evidence.Reading{
			InstanceID: "a", UptimeMicroseconds: seconds * 1_000_000, CPUMicroseconds: used, QuotaMilliCPU: quota, PeriodMicroseconds: 100_000, Cpuset: "0",
			MemoryPeakBytes: quota * seconds,
		}}
	}
	readings := []stepReadings{
		{settled: reading{companions: []*evidence.Service{at(10, 0, 0), at(10, 5_000, 100)}}, countedEnd: reading{companions: []*evidence.Service{at(20, 0, 0), at(20, 105_000, 100)}}},
		{settled: reading{companions: []*evidence.Service{at(30, 0, 0), at(30, 105_000, 100)}}, countedEnd: reading{companions: []*evidence.Service{at(40, 400_000, 0), at(40, 905_000, 100)}}},
	}
	results := []measurement.StepResult{{StepResult: handover.StepResult{OK: 100}}, {StepResult: handover.StepResult{OK: 300}}}
	companions := []Companion{{Name: "cache"}, {Name: "database"}}
	want := []handover.CompanionUse{{Name: "cache", CPUPerLoginMicroseconds: 1000, BusiestPerMille: 40}, {Name: "database", CPUPerLoginMicroseconds: 2250, BusiestPerMille: 800, MemoryPeakBytes: new(int64(4000))}}
	if diff := cmp.Diff(want, companionsUse(companions, readings, results)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	readings[1].settled.companions[1] = nil
	if diff := cmp.Diff(want[:1], companionsUse(companions, readings, results)); diff != "" {
		t.Errorf("without a reading (-want +got):\n%s", diff)
	}
}
