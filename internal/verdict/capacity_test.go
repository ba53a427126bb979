package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// always is a model that finds the same capacity per second for every limit;
// ladder one that finds other ones for the smallest, the middle and the largest.
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
	slow := func(w *world, percents ...int32) {
		for _, percent := range percents {
			w.expected(w.step(percent), 1100, 1200, 1300)
		}
	}
	unsure := func(w *world, percents ...int32) {
		for _, percent := range percents {
			w.expected(w.step(percent), 900, 1000, 1100)
		}
	}
	yes, no := ptr.To(true), ptr.To(false)
	tests := map[string]struct {
		model   func(time.Duration) float64
		disturb func(w *world)
		method  v1alpha1.CapacityMethod
		// answer, low and high in milli per second, 0 for absent.
		answer, low, high int64
		objective         *bool
		says              string
		disagrees         bool
	}{
		"the model between a rate that met and one that failed": {
			ladder(18.5, 19, 19.5), func(w *world) { slow(w, 85) },
			v1alpha1.CapacityBoth, 19_000, 18_500, 19_500, yes, "agree", false,
		},
		"its interval is cut off at what was measured": {
			ladder(17, 19, 23), func(w *world) { slow(w, 85) },
			v1alpha1.CapacityBoth, 19_000, 17_500, 21_250, yes, "agree", false,
		},
		"a rate within 10 % below the answer met": {
			always(23.5), func(*world) {}, v1alpha1.CapacityBoth, 23_500, 23_500, 23_500, yes, "agree", false,
		},
		"no step met within 10 % below the answer": {
			always(20), func(w *world) {
				unsure(w, 85)
				w.step(85).Service = nil
			}, v1alpha1.CapacityPredicted, 20_000, 20_000, 20_000, yes, "predicted", false,
		},
		"a step within 10 % above the answer came to what the model makes of it": {
			always(20), func(w *world) { unsure(w, 85) }, v1alpha1.CapacityBoth, 20_000, 20_000, 20_000, yes, "agree", false,
		},
		"a step further above it says nothing": {
			always(19), func(w *world) {
				unsure(w, 70, 85)
				w.step(70).Service = nil
			}, v1alpha1.CapacityPredicted, 19_000, 19_000, 19_000, yes, "predicted", false,
		},
		"a step that met before it came to rest proves nothing": {
			always(19), func(w *world) { w.step(85).CountedMicroseconds = 35_000_000 },
			v1alpha1.CapacityBoth, 19_000, 19_000, 19_000, yes, "17.5/s met the objective and no measured rate failed it", false,
		},
		"every step failed, and the model places the capacity below": {
			ladder(10, 11, 12), func(w *world) { slow(w, 50, 70, 85) },
			v1alpha1.CapacityPredicted, 11_000, 10_000, 12_000, yes, "predicted", false,
		},
		"no step was decided at all": {
			ladder(14, 15, 16), func(w *world) { unsure(w, 50, 70, 85) },
			v1alpha1.CapacityPredicted, 15_000, 14_000, 16_000, yes, "no measured rate decided", false,
		},
		"the model finds no rate, and every step failed": {
			always(0), func(w *world) { slow(w, 50, 70, 85) },
			v1alpha1.CapacityPredicted, 0, 0, 0, no, "no rate", false,
		},
		"the model finds no rate, and nothing was decided": {
			always(0), func(w *world) { unsure(w, 50, 70, 85) },
			v1alpha1.CapacityPredicted, 0, 0, 0, no, "no rate", false,
		},
		"the answer lies below a rate that met, and its interval does not": {
			ladder(16, 17, 18), func(w *world) { slow(w, 85) },
			v1alpha1.CapacityBoth, 17_500, 17_500, 18_000, yes, "agree", false,
		},
		"the answer lies above a rate that failed, and its interval does not": {
			ladder(20.25, 22, 23), func(w *world) { slow(w, 85) },
			v1alpha1.CapacityBoth, 20_750, 20_250, 21_250, yes, "agree", false,
		},
		"no capacity passes 98 % of the maximum": {
			ladder(23, 26, 29), func(*world) {}, v1alpha1.CapacityPredicted, 23_912, 23_000, 23_912, yes, "predicted", false,
		},
		"a rate beyond the maximum contradicts nobody": {
			always(24), func(w *world) { w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_500) },
			v1alpha1.CapacityBoth, 21_070, 21_070, 21_070, yes, "21.25/s did not", false,
		},

		"measurement decides where a rate met that the model rules out": {
			ladder(15, 16, 17), func(w *world) {
				slow(w, 85)
				w.step(70).Service = nil
			},
			v1alpha1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "2.86 % below a rate that met it", true,
		},
		"and where a rate failed that the model vouches for": {
			ladder(22.3, 22.5, 23), func(w *world) { fail(w.step(85), 2, &w.step(85).OtherErrors) },
			v1alpha1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "4.94 % above a rate that failed it", true,
		},
		"which leaves no answer where none met": {
			ladder(22, 22.5, 23), func(w *world) {
				slow(w, 50, 70, 85)
				w.step(50).Service = nil
			},
			v1alpha1.CapacityMeasured, 0, 0, 0, no, "above a rate that failed it", true,
		},
		"and where chance made the logins easier, which the model knows": {
			ladder(15, 16, 17), func(w *world) { slow(w, 85) },
			v1alpha1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "2.86 % below a rate that met it", false,
		},
		"or harder": {
			ladder(22.3, 22.5, 23), func(w *world) { slow(w, 85) },
			v1alpha1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "4.94 % above a rate that failed it", false,
		},
		"a model that disagrees with a step has no say": {
			always(19), func(w *world) { w.model.p95 = 150 * time.Millisecond },
			v1alpha1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "1.33 times the simulated one", true,
		},
		"nor has one that is fed with nothing": {
			always(19), func(w *world) {
				for i := range w.Run.Steps {
					w.Run.Steps[i].Service = nil
				}
			},
			v1alpha1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "CPU time per login is not known", false,
		},
		"nor has one of logins too cheap to rule latency": {
			always(19), func(w *world) {
				for i := range w.Run.Steps {
					w.Run.Steps[i].Service.CPUMicroseconds = w.Run.Steps[i].Service.Hashes * 1_999
				}
			},
			v1alpha1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "below the 2ms", false,
		},
		"nor has one of a service that was kept from its CPU": {
			always(19), func(w *world) {
				w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_249)
				usesOfItsCPU(w.step(0), 0.94, -1)
			},
			v1alpha1.CapacityMeasured, 17_500, 17_500, 20_824, yes, "something else used it", false,
		},
		"nor has one where logins were never sent": {
			always(19), func(w *world) { fail(w.step(85), 2, &w.step(85).NeverSent) },
			v1alpha1.CapacityMeasured, 17_500, 17_500, 21_250, yes, "some were not", false,
		},
		"nor has one of a service with sessions": {
			always(19), func(w *world) { w.Spec.Variant.Sessions = true },
			v1alpha1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "some of its requests only", false,
		},
		"nor has one that does not know the quota": {
			always(19), func(w *world) { w.Calibration.QuotaBurstMicroseconds = 50_000 },
			v1alpha1.CapacityMeasured, 21_250, 21_250, 23_912, yes, "saves up to 50ms of unused time", true,
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
			var want *v1alpha1.RateInterval
			if test.high > 0 {
				want = &v1alpha1.RateInterval{LowMilliPerSecond: test.low, HighMilliPerSecond: test.high}
			}
			if diff := cmp.Diff(want, c.Interval); diff != "" {
				t.Errorf("interval (-want +got):\n%s", diff)
			}
			if !strings.Contains(c.Message, test.says) {
				t.Errorf("it says %q, which does not contain %q", c.Message, test.says)
			}
			if diff := cmp.Diff(test.objective, judged.Result.ObjectiveMet); diff != "" {
				t.Errorf("objectiveMet (-want +got):\n%s", diff)
			}
			if got := hasReason(judged, verdict.ModelDisagrees); got != test.disagrees {
				t.Errorf("the model disagrees: %v, want %v: %v", got, test.disagrees, judged.Result.Reasons)
			}
			checkRowOfCapacity(t, judged)
		})
	}
}

// checkRowOfCapacity holds the row against the trial's capacity.
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
	w.step(0).Service.CPUMicroseconds = w.step(0).Service.Hashes * 19_500
	w.judge()
	if got := *w.model.fedWith; got != 19_500*time.Microsecond {
		t.Errorf("it was fed with %s", got)
	}
	w.step(0).Service.Hashes = 19
	w.judge()
	if got := *w.model.fedWith; got != 20_100*time.Microsecond {
		t.Errorf("without the saturation's it was fed with %s, want the reported step's 20.1ms", got)
	}
}

// Steps and model are at the same reference: what that is unsure of moves neither of
// them against the other.
func TestAnUnsureReferenceWidensTheIntervalAndMovesNothing(t *testing.T) {
	judged := func(unsure float64) *v1alpha1.Capacity {
		w := ranWell(t)
		w.Reference.Error = unsure
		w.model.capacity = ladder(18.5, 19, 19.5)
		w.expected(w.step(85), 1100, 1200, 1300)
		return w.judge().Capacity
	}
	sure, unsure := judged(0), judged(0.1)
	if *unsure.MilliPerSecond != *sure.MilliPerSecond {
		t.Errorf("capacity %d, want %d", *unsure.MilliPerSecond, *sure.MilliPerSecond)
	}
	// A tenth of 19/s, and what a stricter objective costs: the 21.25/s that failed may
	// be as many at the true reference.
	if unsure.Interval.LowMilliPerSecond > 17_000 || unsure.Interval.HighMilliPerSecond < 21_000 {
		t.Errorf("interval %+v with a reference good to 10 %%, and %+v with an exact one", unsure.Interval, sure.Interval)
	}
}

// The band of the forecast is the range of the run's own ratios, and never
// narrower than the model was found to be off: 10 % for a pool, 25 % unbounded.
func TestTheForecastIsAsUncertainAsItsStepsSay(t *testing.T) {
	limits := func(w *world) []time.Duration {
		var asked []time.Duration
		w.model.capacity = func(limit time.Duration) float64 {
			asked = append(asked, limit.Round(time.Millisecond))
			return 19
		}
		w.judge()
		return asked
	}
	tests := map[string]struct {
		world *world
		p95   time.Duration // simulated, of the step at 50 %; measured is 200 ms
		want  []time.Duration
	}{
		"a pool that does as the model says": {ranWell(t), 200 * time.Millisecond, []time.Duration{909 * time.Millisecond, time.Second, 1111 * time.Millisecond}},
		"a step that was 20 % slower":        {ranWell(t), 200 * time.Millisecond / 120 * 100, []time.Duration{833 * time.Millisecond, time.Second, 1111 * time.Millisecond}},
		"a step that was 20 % faster":        {ranWell(t), 250 * time.Millisecond, []time.Duration{909 * time.Millisecond, time.Second, 1250 * time.Millisecond}},
		"unbounded goroutines":               {ranWell(t, unbounded), 200 * time.Millisecond, []time.Duration{800 * time.Millisecond, time.Second, 1333 * time.Millisecond}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.world.model.p95Of[int(test.world.step(50).Scheduled)] = test.p95
			if diff := cmp.Diff(test.want, limits(test.world)); diff != "" {
				t.Errorf("limits that the model was asked for (-want +got):\n%s", diff)
			}
		})
	}
}

// A plan without a saturation drives a service that the generator can't
// saturate: what it held is a lower bound.
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
	if c := judged.Capacity; c.Method != v1alpha1.CapacityMeasured || ptr.Deref(c.MilliPerSecond, 0) != 21_250 || c.Interval != nil {
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
