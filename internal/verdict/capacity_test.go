package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// always is a model that finds the same capacity per second for every limit. ladder finds
// one capacity each for the smallest, the middle and the largest limit.
func always(perSecond float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return perSecond }
}

func ladder(low, answer, high float64) func(time.Duration) float64 {
	return func(limit time.Duration) float64 {
		switch {
		case limit < time.Second:
			return low
		case limit == time.Second:
			return answer
		default:
			return high
		}
	}
}

// The objective is a p95 of one second; steps were offered 12.5, 17.5 and
// 21.25/s, and the maximum is 24.4/s.
func TestHowTheCapacityIsDecided(t *testing.T) {
	slow := func(w *fixture, percents ...int32) {
		for _, percent := range percents {
			w.expected(w.step(percent), 1100, 1200, 1300)
		}
	}
	unsure := func(w *fixture, percents ...int32) {
		for _, percent := range percents {
			w.expected(w.step(percent), 900, 1000, 1100)
		}
	}
	yes, no := ptr.To(true), ptr.To(false)
	tests := map[string]struct {
		model   func(time.Duration) float64
		disturb func(w *fixture)
		method  v1beta1.CapacityMethod
		// answer, low and high in milli per second, 0 for absent.
		answer, low, high int64
		objective         *bool
		says              string
		disagrees         bool
	}{
		"the model between a rate that met and one that failed": {
			ladder(18.5, 19, 19.5), func(w *fixture) { slow(w, 85) },
			v1beta1.CapacityBoth, 19_000, 18_307, 19_693, yes, "agree", false,
		},
		"its interval is limited by the measured rates": {
			ladder(17, 19, 23), func(w *fixture) { slow(w, 85) },
			v1beta1.CapacityBoth, 19_000, 17_500, 21_250, yes, "agree", false,
		},
		"a rate within 10 % below the answer met": {
			always(23.5), func(*fixture) {}, v1beta1.CapacityBoth, 23_500, 23_213, 23_787, yes, "agree", false,
		},
		"a step with a queue can be compared": {
			always(20), func(w *fixture) {
				unsure(w, 85)
				w.step(85).Service = nil
			}, v1beta1.CapacityBoth, 20_000, 19_755, 20_244, yes, "agree", false,
		},
		"no step with a queue can be compared": {
			always(19), func(w *fixture) {
				unsure(w, 70, 85)
				w.step(70).Service, w.step(85).Service = nil, nil
			}, v1beta1.CapacityPredicted, 19_000, 18_768, 19_232, yes, "predicted", false,
		},
		"a step that met before its queue was steady proves nothing": {
			always(19), func(w *fixture) { w.step(85).CountedMicroseconds = 35_000_000 },
			v1beta1.CapacityBoth, 19_000, 18_768, 19_232, yes, "17.5/s met the objective and no measured rate failed it", false,
		},
		"every step failed, and the model places the capacity below": {
			ladder(10, 11, 12), func(w *fixture) { slow(w, 50, 70, 85) },
			v1beta1.CapacityBoth, 11_000, 9_808, 12_191, yes, "12.5/s failed the objective", false,
		},
		"no step was decided at all": {
			ladder(14, 15, 16), func(w *fixture) { unsure(w, 50, 70, 85) },
			v1beta1.CapacityBoth, 15_000, 13_785, 16_215, yes, "all measured rates are undecided", false,
		},
		"the model finds no rate, and every step failed": {
			always(0), func(w *fixture) { slow(w, 50, 70, 85) },
			v1beta1.CapacityPredicted, 0, 0, 0, no, "no rate", false,
		},
		"the model finds no rate, and nothing was decided": {
			always(0), func(w *fixture) { unsure(w, 50, 70, 85) },
			v1beta1.CapacityPredicted, 0, 0, 0, no, "no rate", false,
		},
		"the answer lies below a rate that met, and its interval does not": {
			ladder(16, 17, 18), func(w *fixture) { slow(w, 85) },
			v1beta1.CapacityBoth, 17_500, 17_500, 18_227, yes, "agree", false,
		},
		"the answer lies above a rate that failed, and its interval does not": {
			ladder(20.25, 22, 23), func(w *fixture) { slow(w, 85) },
			v1beta1.CapacityBoth, 21_249, 19_900, 21_250, yes, "agree", false,
		},
		"no capacity passes 98 % of the maximum": {
			ladder(23, 26, 29), func(*fixture) {}, v1beta1.CapacityBoth, 23_912, 22_733, 23_912, yes, "agree", false,
		},
		"a failed rate above the maximum contradicts nothing": {
			always(24), func(w *fixture) { w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_500) },
			v1beta1.CapacityBoth, 21_070, 20_812, 21_070, yes, "21.2/s failed it", false,
		},

		"the measurement counts if a rate met that the model rules out": {
			ladder(15.4, 16, 16.6), func(w *fixture) {
				slow(w, 85)
				w.step(70).Service = nil
			},
			v1beta1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "4.28 % below a rate that met it", true,
		},
		"the measurement counts if a rate failed that the model predicts to be met": {
			ladder(22.3, 22.5, 23), func(w *fixture) { fail(w.step(85), 2, &w.step(85).OtherErrors) },
			v1beta1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "3.89 % above a rate that failed it", true,
		},
		"the measurement counts even if no rate met": {
			ladder(22, 22.5, 23), func(w *fixture) {
				slow(w, 50, 70, 85)
				w.step(50).Service = nil
			},
			v1beta1.CapacityMeasured, 0, 0, 0, no, "above a rate that failed it", true,
		},
		"no disagreement if the model explains easier logins": {
			ladder(15.4, 16, 16.6), func(w *fixture) { slow(w, 85) },
			v1beta1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "4.13 % below a rate that met it", false,
		},
		"no disagreement if the model explains harder logins": {
			ladder(22.3, 22.5, 23), func(w *fixture) { slow(w, 85) },
			v1beta1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "3.89 % above a rate that failed it", false,
		},
		"a model that disagrees with a step is not used": {
			always(19), func(w *fixture) { w.model.p95 = 150 * time.Millisecond },
			v1beta1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "1.33 times the simulated p95", true,
		},
		"the model is not used without the CPU time per login": {
			always(19), func(w *fixture) {
				for i := range w.Run.Steps {
					w.Run.Steps[i].Service = nil
				}
			},
			v1beta1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "CPU time per login is unknown", false,
		},
		"the model is not used for logins too cheap to dominate latency": {
			always(19), func(w *fixture) {
				for i := range w.Run.Steps {
					w.Run.Steps[i].Service.CPUMicroseconds = w.Run.Steps[i].Service.Hashes * 1_999
				}
			},
			v1beta1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "below 2ms", false,
		},
		"the model is not used if something else used the service's CPUs": {
			always(19), func(w *fixture) {
				w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_249)
				usesOfItsCPU(w.step(0), 0.94, -1)
			},
			v1beta1.CapacityMeasured, 17_500, 17_500, 20_824, yes, "something else used them", false,
		},
		"the model is not used if logins were never sent": {
			always(19), func(w *fixture) { fail(w.step(85), 2, &w.step(85).NeverSent) },
			v1beta1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "some were not", false,
		},
		"the model is not used for a service with sessions": {
			always(19), func(w *fixture) { w.Spec.Variant.Hash.Sessions = true },
			v1beta1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "only some of its requests", false,
		},
		"the model is not used for an unsupported quota": {
			always(19), func(w *fixture) { w.Calibration.QuotaBurstMicroseconds = 50_000 },
			v1beta1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "saves up to 50ms of unused time", true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t)
			w.model.capacity = test.model
			test.disturb(w)
			judged := w.judge()
			c := judged.Capacity
			if c.Method != test.method || ptr.Deref(c.MilliPerSecond, 0) != test.answer {
				t.Errorf("%s finds %d, want %s to find %d", c.Method, ptr.Deref(c.MilliPerSecond, 0), test.method, test.answer)
			}
			var want *v1beta1.RateInterval
			if test.high > 0 {
				want = &v1beta1.RateInterval{LowMilliPerSecond: test.low, HighMilliPerSecond: test.high}
			}
			if diff := cmp.Diff(want, c.Interval); diff != "" {
				t.Errorf("interval (-want +got):\n%s", diff)
			}
			if !strings.Contains(c.Message, test.says) {
				t.Errorf("message %q does not contain %q", c.Message, test.says)
			}
			if diff := cmp.Diff(test.objective, judged.Result.ObjectiveMet); diff != "" {
				t.Errorf("objectiveMet (-want +got):\n%s", diff)
			}
			if got := hasReason(judged, v1beta1.ReasonModelDisagrees); got != test.disagrees {
				t.Errorf("the model disagrees: %v, want %v: %v", got, test.disagrees, judged.Result.Reasons)
			}
			checkRowOfCapacity(t, judged)
		})
	}
}

// checkRowOfCapacity compares the row with the trial's capacity.
func checkRowOfCapacity(t *testing.T, judged verdict.Judgement) {
	t.Helper()
	c, row := judged.Capacity, judged.Result
	if diff := cmp.Diff(c.MilliPerSecond, row.CapacityMilliPerSecond); diff != "" {
		t.Errorf("the row's capacity (-trial +row):\n%s", diff)
	}
	if c.MilliPerSecond == nil {
		if row.CapacityInterval != nil || row.CapacityMethod != "" || row.CapacityIsLowerBound != nil {
			t.Errorf("a row without capacity says %v, %q, %v of it", row.CapacityInterval, row.CapacityMethod, row.CapacityIsLowerBound)
		}
		return
	}
	if diff := cmp.Diff(c.Interval, row.CapacityInterval); diff != "" || row.CapacityMethod != c.Method {
		t.Errorf("the row says %s, the trial %s, interval (-trial +row):\n%s", row.CapacityMethod, c.Method, diff)
	}
}

func hasReason(judged verdict.Judgement, kind string) bool {
	for _, r := range judged.Result.Reasons {
		if r.Type == kind {
			return true
		}
	}
	return false
}

func TestTheModelIsFedWithTheCPUTimeOfTheSaturation(t *testing.T) {
	w := ranWell(t)
	w.step(0).Service.CPUMicroseconds = w.step(0).Service.Hashes * 20_090
	w.judge()
	if got := *w.model.fedWith; got != 20_090*time.Microsecond {
		t.Errorf("the model uses %s", got)
	}
	w.step(0).Service.Hashes = 19
	w.judge()
	if got := *w.model.fedWith; got != 20_100*time.Microsecond {
		t.Errorf("without the saturation's CPU time the model uses %s, want the reported step's 20.1ms", got)
	}
}

// Steps and model use the same hash time, so its error does not move them relative to each
// other.
func TestErrorOfTheHashTimeOnlyWidensTheInterval(t *testing.T) {
	judged := func(err int64) *v1beta1.Capacity {
		w := ranWell(t)
		w.Calibration.RatioErrorPerMillion = err * 329 / 196 // that of 99.9 %
		w.model.capacity = ladder(18.5, 19, 19.5)
		w.expected(w.step(85), 1100, 1200, 1300)
		return w.judge().Capacity
	}
	exact, inexact := judged(0), judged(100_000)
	if *inexact.MilliPerSecond != *exact.MilliPerSecond {
		t.Errorf("capacity %d, want %d", *inexact.MilliPerSecond, *exact.MilliPerSecond)
	}
	// A tenth of 19/s, and the effect of a stricter objective. The 21.25/s that failed can
	// be within the interval with the true hash time.
	if inexact.Interval.LowMilliPerSecond > 17_000 || inexact.Interval.HighMilliPerSecond < 21_000 {
		t.Errorf("interval %+v with an error of the hash time of 10 %%, and %+v with an exact one", inexact.Interval, exact.Interval)
	}
}

// The range of the prediction follows from the model's error, 10 % for a pool and 25 % for unbounded goroutines, and from
// the three steps' measured ÷ simulated p95. A p95 that is too long widens it, and one that is too short counts more.
func TestPredictionRangeFollowsFromTheRatiosOfTheSteps(t *testing.T) {
	limits := func(w *fixture) []time.Duration {
		var limits []time.Duration
		w.model.capacity = func(limit time.Duration) float64 {
			limits = append(limits, limit.Round(time.Millisecond))
			return 19
		}
		w.judge()
		return limits
	}
	tests := map[string]struct {
		fixture *fixture
		p95     time.Duration // simulated, of the step at 50 %; measured is 200 ms
		want    []time.Duration
	}{
		"a pool that agrees with the model": {ranWell(t), 200 * time.Millisecond, []time.Duration{960 * time.Millisecond, time.Second, 1042 * time.Millisecond}},
		"a step that was 20 % slower":       {ranWell(t), 200 * time.Millisecond / 120 * 100, []time.Duration{909 * time.Millisecond, 952 * time.Millisecond, 997 * time.Millisecond}},
		"a step that was 20 % faster":       {ranWell(t), 250 * time.Millisecond, []time.Duration{1024 * time.Millisecond, 1070 * time.Millisecond, 1117 * time.Millisecond}},
		"a decision's shorter step":         {ranWell(t, decides), 200 * time.Millisecond, []time.Duration{958 * time.Millisecond, time.Second, 1044 * time.Millisecond}},
		"a decision's longer step": {ranWell(t, decides, func(s *v1beta1.SizingTrialSpec) { s.Load.StepSeconds = 10 }), 200 * time.Millisecond,
			[]time.Duration{960 * time.Millisecond, time.Second, 1042 * time.Millisecond}},
		"unbounded goroutines": {ranWell(t, unbounded), 200 * time.Millisecond, []time.Duration{937 * time.Millisecond, time.Second, 1067 * time.Millisecond}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.fixture.model.p95Of[int(test.fixture.step(50).Scheduled)] = test.p95
			if diff := cmp.Diff(test.want, limits(test.fixture)); diff != "" {
				t.Errorf("limits that the model was called with (-want +got):\n%s", diff)
			}
		})
	}
}

// If the generator cannot saturate the service, the plan has no saturation, and the
// capacity is a lower bound.
func TestWithoutASaturationTheCapacityIsALowerBound(t *testing.T) {
	w := ranWell(t)
	var driven loadplan.Plan
	for _, step := range w.Plan.Steps {
		if step.Kind != loadplan.Saturation {
			driven.Steps = append(driven.Steps, step)
		}
	}
	w.Plan = driven
	w.Run.Steps = w.Run.Steps[:3]
	judged := w.judge()
	row := judged.Result
	if c := judged.Capacity; c.Method != v1beta1.CapacityMeasured || ptr.Deref(c.MilliPerSecond, 0) != 21_250 || c.Interval != nil {
		t.Errorf("capacity is %+v", c)
	}
	if diff := cmp.Diff(ptr.To(true), row.CapacityIsLowerBound); diff != "" {
		t.Errorf("capacityIsLowerBound (-want +got):\n%s", diff)
	}
	w.expected(w.step(85), 1100, 1200, 1300)
	if got := w.judge().Result.CapacityIsLowerBound; ptr.Deref(got, true) {
		t.Errorf("a capacity below a rate that failed is a lower bound: %v", got)
	}
}
