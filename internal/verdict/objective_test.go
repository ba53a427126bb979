package verdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

func TestStepOutcomes(t *testing.T) {
	tests := map[string]struct {
		change func(s *measurement.StepResult)
		want   v1beta1.StepOutcome
	}{
		"met when the upper end of the interval is within it": {func(s *measurement.StepResult) { latency(s, 500, 800, 1000) }, v1beta1.StepMet},
		"undecided when it lies inside the interval":          {func(s *measurement.StepResult) { latency(s, 1000, 1100, 1300) }, v1beta1.StepUndecided},
		"failed when the lower end is above it":               {func(s *measurement.StepResult) { latency(s, 1001, 1100, 1300) }, v1beta1.StepFailed},
		"failed when too many logins fail":                    {func(s *measurement.StepResult) { fail(s, 8, &s.Refused) }, v1beta1.StepFailed},
		"undecided when too many failed, maybe at random":     {func(s *measurement.StepResult) { fail(s, 3, &s.Refused) }, v1beta1.StepUndecided},
		"met when its logins show that few enough fail": {func(s *measurement.StepResult) {
			samples(s, 2000)
			fail(s, 12, &s.OtherErrors)
		}, v1beta1.StepMet},
		"undecided when as many failed as allowed": {func(s *measurement.StepResult) {
			samples(s, 2000)
			fail(s, 20, &s.OtherErrors)
		}, v1beta1.StepUndecided},
		"failed, and not overloaded, when 5 % failed": {func(s *measurement.StepResult) {
			samples(s, 1000)
			fail(s, 50, &s.TimedOut)
		}, v1beta1.StepFailed},
		"overloaded when more than 5 % failed": {func(s *measurement.StepResult) {
			samples(s, 1000)
			fail(s, 51, &s.Cut)
		}, v1beta1.StepOverloaded},
		"failed, and not overloaded, when logins were never sent": {func(s *measurement.StepResult) { fail(s, 60, &s.NeverSent) }, v1beta1.StepFailed},
		"undecided without an interval": {func(s *measurement.StepResult) {
			samples(s, 40)
			latency(s, 0, 800, 0)
			s.MaxMicroseconds = ptr.To[int64](1_000_001)
		}, v1beta1.StepUndecided},
		"met without an interval if even the slowest login is within it": {func(s *measurement.StepResult) {
			samples(s, 40)
			latency(s, 0, 800, 0)
			s.MaxMicroseconds = ptr.To[int64](1_000_000)
			s.Scheduled, s.OK = 299, 299
			s.P95Interval = nil
		}, v1beta1.StepMet},
		"undecided with next to no samples, however fast": {func(s *measurement.StepResult) {
			samples(s, 19)
			s.P95Microseconds, s.P95Interval = nil, nil
		}, v1beta1.StepUndecided},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t, allowing(10))
			test.change(w.reported())
			steps := w.judge().Steps
			if got := steps[1].Outcome; got != test.want {
				t.Errorf("the step is %s, want %s", got, test.want)
			}
			if steps[3].Outcome != v1beta1.StepNotJudged {
				t.Errorf("the saturation is %s", steps[3].Outcome)
			}
		})
	}
}

// The objective must be met for every percentile, and the reported step has them all.
func TestAStepMeetsTheObjectiveOnlyWithEveryPercentile(t *testing.T) {
	between := func(low, high int64) *handover.Interval {
		return &handover.Interval{LowMicroseconds: 1000 * low, HighMicroseconds: 1000 * high}
	}
	for name, test := range map[string]struct {
		p50, p99     int32
		median, tail *handover.Interval
		want         v1beta1.StepOutcome
	}{
		"both hold":                           {100, 900, between(50, 70), between(220, 400), v1beta1.StepMet},
		"the median does not":                 {45, 900, between(50, 70), between(220, 400), v1beta1.StepFailed},
		"the median lies near its limit":      {60, 900, between(50, 70), between(220, 400), v1beta1.StepUndecided},
		"p99 does not":                        {100, 200, between(50, 70), between(220, 400), v1beta1.StepFailed},
		"p99 lies near its limit":             {100, 300, between(50, 70), between(220, 400), v1beta1.StepUndecided},
		"too few logins for a p99":            {100, 900, between(50, 70), nil, v1beta1.StepUndecided},
		"too few logins, and no limit on p99": {100, 0, between(50, 70), nil, v1beta1.StepMet},
		"one fails while the other can't say": {45, 900, between(50, 70), nil, v1beta1.StepFailed},
	} {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t, allowing(10), func(s *v1beta1.SizingTrialSpec) {
				s.Objective.P50Milliseconds, s.Objective.P99Milliseconds = ptr.To(test.p50), orNil(test.p99)
			})
			s := w.reported()
			s.P50Interval, s.P99Interval = test.median, test.tail
			if got := w.judge().Steps[1].Outcome; got != test.want {
				t.Errorf("the step is %s, want %s", got, test.want)
			}
		})
	}
}

func orNil(limit int32) *int32 {
	if limit == 0 {
		return nil
	}
	return &limit
}

// In mode Rates, only the steps decide.
func TestTheCapacityOfRatesIsABracket(t *testing.T) {
	tooSlow := func(s *measurement.StepResult) { latency(s, 1100, 1200, 1300) }
	unsure := func(s *measurement.StepResult) { latency(s, 900, 1000, 1100) }
	yes, no := ptr.To(true), ptr.To(false)
	tests := map[string]struct {
		rates       []int32
		disturb     func(w *fixture)
		met, failed int64 // 0 for absent
		objective   *bool
		lowerBound  *bool
	}{
		"all met is a lower bound":                         {[]int32{5, 10, 15}, func(*fixture) {}, 15_000, 0, yes, yes},
		"a rate whose step is too short to be steady":      {[]int32{5, 10, 20}, func(*fixture) {}, 10_000, 0, yes, no},
		"the highest with all below it":                    {[]int32{5, 10, 20}, func(w *fixture) { tooSlow(&w.Run.Steps[1]) }, 5_000, 10_000, yes, no},
		"an undecided rate ends it, and is no lower bound": {[]int32{5, 10, 20}, func(w *fixture) { unsure(&w.Run.Steps[1]) }, 5_000, 0, yes, no},
		"a rate beyond the bound is an overload":           {[]int32{5, 40}, func(*fixture) {}, 5_000, 40_000, yes, no},
		"none when the first failed":                       {[]int32{5}, func(w *fixture) { tooSlow(&w.Run.Steps[0]) }, 0, 5_000, no, nil},
		"objectiveMet is nil when no step is decided":      {[]int32{5}, func(w *fixture) { unsure(&w.Run.Steps[0]) }, 0, 0, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t, atRates(test.rates...))
			test.disturb(w)
			judged := w.judge()
			c := judged.Capacity
			if c.Method != v1beta1.CapacityMeasured || ptr.Deref(c.HighestMetMilliPerSecond, 0) != test.met ||
				ptr.Deref(c.MilliPerSecond, 0) != test.met || ptr.Deref(c.LowestFailedMilliPerSecond, 0) != test.failed {
				t.Errorf("capacity is %+v", c)
			}
			if (c.Interval != nil) != (test.met > 0 && test.failed > 0) {
				t.Errorf("the interval is %v", c.Interval)
			}
			if diff := cmp.Diff(test.objective, judged.Result.ObjectiveMet); diff != "" {
				t.Errorf("objectiveMet (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.lowerBound, judged.Result.CapacityIsLowerBound); diff != "" {
				t.Errorf("capacityIsLowerBound (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsersHaveNoCapacityAndNoRate(t *testing.T) {
	judged := ranWell(t, withUsers(3, 9)).judge()
	if row := judged.Result; row.OfferedMilliPerSecond != nil || row.ReportedLoadPerMille != nil || ptr.Deref(row.Users, 0) != 3 {
		t.Errorf("offered %v, load %v, users %v", row.OfferedMilliPerSecond, row.ReportedLoadPerMille, row.Users)
	}
	if judged.Capacity != nil || judged.Result.CapacityMilliPerSecond != nil {
		t.Errorf("capacity is %v, in the row %v", judged.Capacity, judged.Result.CapacityMilliPerSecond)
	}
	if diff := cmp.Diff(ptr.To(true), judged.Result.ObjectiveMet); diff != "" {
		t.Errorf("objectiveMet (-want +got):\n%s", diff)
	}
}

func TestTheMaximumOfEachMode(t *testing.T) {
	rate := func(w *fixture, step int, milli int64) *fixture {
		w.Run.Steps[step].ThroughputMilliPerSecond = &milli
		return w
	}
	tests := map[string]struct {
		fixture *fixture
		want    *int64
	}{
		"Capacity: of the saturation":            {rate(ranWell(t), 3, 24_321), ptr.To[int64](24_321)},
		"Users: the highest of the steps":        {rate(rate(ranWell(t, withUsers(1, 5, 9)), 1, 24_600), 2, 24_100), ptr.To[int64](24_600)},
		"Rates: none while the service keeps up": {ranWell(t, atRates(5, 20)), nil},
		"Rates: of the overloaded steps":         {rate(ranWell(t, atRates(5, 40)), 1, 24_700), ptr.To[int64](24_700)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.fixture.judge().Result.MaxThroughputMilliPerSecond); diff != "" {
				t.Errorf("maximum (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheRowHoldsTheReportedStep(t *testing.T) {
	w := ranWell(t)
	got := w.judge().Result
	want := v1beta1.VariantResult{
		Variant: "c8-500m", Hash: v1beta1.BcryptHash(8), CPULimit: "500m",
		Calibration:                 &w.Calibration.CalibrationResult,
		Speed:                       &v1beta1.RowSpeed{LowPerMille: 1000, MedianPerMille: 1000, HighPerMille: 1000},
		BoundMilliPerSecond:         ptr.To[int64](25_000),
		MaxThroughputMilliPerSecond: ptr.To[int64](24_400),
		CapacityMilliPerSecond:      ptr.To[int64](22_727),
		CapacityInterval:            &v1beta1.RateInterval{LowMilliPerSecond: 22_396, HighMilliPerSecond: 23_057},
		CapacityMethod:              v1beta1.CapacityBoth,
		ObjectiveMet:                ptr.To(true),
		ReportedLoadPerMille:        ptr.To[int64](700),
		OfferedMilliPerSecond:       ptr.To[int64](17_500),
		ThroughputMilliPerSecond:    ptr.To[int64](17_500),
		P95Microseconds:             ptr.To[int64](200_000),
		P95Interval:                 &handover.Interval{LowMicroseconds: 150_000, HighMicroseconds: 290_000},
		P50Microseconds:             ptr.To[int64](60_000),
		P99Microseconds:             ptr.To[int64](250_000),
		Samples:                     ptr.To[int64](175),
		Failures:                    &v1beta1.Failures{Logins: 388, AtMostPerMillion: 7692},
		ThrottledPerMille:           ptr.To[int64](250),
		Verdict:                     v1beta1.VerdictValid,
		Trials:                      1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

// A limit must hold for every replica.
func TestTheRowHasTheLargestMemoryPeakOfThePods(t *testing.T) {
	w := ranWell(t)
	if peak := w.judge().Result.MemoryPeakBytes; peak != nil {
		t.Errorf("nothing was measured, and the peak is %d", *peak)
	}
	w.Run.Services = append(w.Run.Services, w.Run.Services[0])
	w.Run.Services[0].MemoryPeakKiB, w.Run.Services[1].MemoryPeakKiB = 12_000, 11_000
	if peak := w.judge().Result.MemoryPeakBytes; peak == nil || *peak != 12_000*1024 {
		t.Errorf("the peak is %v", ptr.Deref(peak, 0))
	}
}

func TestAnOverloadedStepKeepsItsThroughputAndLosesItsLatencies(t *testing.T) {
	w := ranWell(t)
	fail(w.reported(), 20, &w.reported().Refused)
	judged := w.judge()
	if r := judged.Result; r.P95Microseconds != nil || r.P95Interval != nil || r.ThroughputMilliPerSecond == nil {
		t.Errorf("row: p95 %v in %v, throughput %v", r.P95Microseconds, r.P95Interval, r.ThroughputMilliPerSecond)
	}
	if s := judged.Steps[1]; s.P50Microseconds != nil || s.P99Microseconds != nil || s.MaxMicroseconds != nil || s.Refused != 20 {
		t.Errorf("the step still has latencies: %+v", s)
	}
}

func TestWithoutAQuotaThereAreNoPeriods(t *testing.T) {
	w := ranWell(t)
	w.reported().Service.Periods = 0
	judged := w.judge()
	if judged.Result.ThrottledPerMille != nil || judged.Steps[1].Service.Periods != nil {
		t.Errorf("throttled %v of %v periods", judged.Result.ThrottledPerMille, judged.Steps[1].Service.Periods)
	}
}

// allowing sets the allowed failures per thousand logins.
func allowing(perMille int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Objective.MaxErrorPerMille = &perMille }
}

// With one failure in a thousand allowed, some 300 logins show almost nothing about the
// error share. The row says so, and p95 determines the capacity.
func TestFewLoginsDoNotShowThatFewFail(t *testing.T) {
	judged := ranWell(t).judge()
	reported := judged.Steps[1]
	if reported.Outcome != v1beta1.StepUndecided || judged.Result.CapacityMilliPerSecond == nil || !ptr.Deref(judged.Result.ObjectiveMet, false) {
		t.Errorf("the reported step is %s, the row %+v", reported.Outcome, judged.Result)
	}
	// Those of the faster step count, too.
	want := reported.Scheduled + judged.Steps[2].Scheduled
	if f := judged.Result.Failures; f == nil || f.Logins != want || f.Failed != 0 || f.AtMostPerMillion < 3e6/want*9/10 || f.AtMostPerMillion > 3e6/want {
		t.Errorf("of %d logins the row says %+v", want, f)
	}
	none := ranWell(t, allowing(0))
	if got := none.judge().Steps[1].Outcome; got != v1beta1.StepMet {
		t.Errorf("none may fail, none did, and the step is %s", got)
	}
	fail(none.reported(), 1, &none.reported().Refused)
	if got := none.judge().Steps[1].Outcome; got != v1beta1.StepFailed {
		t.Errorf("none may fail, one did, and the step is %s", got)
	}
}
