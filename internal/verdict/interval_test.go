package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// p95 of the reported step is 200 ms, and 150 to 290 ms by order statistics. If runs have up to 1.6
// times the true p95, it is 125 to 320 ms.
func TestTheIntervalOfP95IsTheWiderOfTwo(t *testing.T) {
	between := func(low, high int64) *handover.Interval {
		return &handover.Interval{LowMicroseconds: low * 1000, HighMicroseconds: high * 1000}
	}
	tests := map[string]struct {
		disturb func(w *fixture)
		want    *handover.Interval
	}{
		"order statistics if runs are closer":    {func(w *fixture) { w.model.low, w.model.high = 0.8, 1.3 }, between(150, 290)},
		"the spread of runs at its lower end":    {func(w *fixture) { w.model.low, w.model.high = 0.71, 1.4 }, between(142, 290)},
		"the spread of runs, by the slowest one": {func(w *fixture) { w.model.low, w.model.high = 0.8, 1.6 }, between(125, 320)},
		"the spread of runs, by the fastest one": {func(w *fixture) { w.model.low, w.model.high = 0.625, 1.5 }, between(125, 320)},
		"order statistics if the model has no spread": {func(w *fixture) {
			w.model.low, w.model.high, w.model.known = 0.6, 1.7, false
		}, between(150, 290)},
		"order statistics with sessions": {func(w *fixture) {
			w.model.low, w.model.high, w.Spec.Variant.Hash.Sessions = 0.6, 1.7, true
		}, between(150, 290)},
		"none without order statistics": {func(w *fixture) {
			w.model.low, w.model.high = 0.6, 1.7
			w.reported().P95Interval = nil
		}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t)
			test.disturb(w)
			judged := w.judge()
			if diff := cmp.Diff(test.want, judged.Steps[1].AtReference.P95Interval); diff != "" {
				t.Errorf("of the step (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, judged.Result.P95Interval); diff != "" {
				t.Errorf("of the row (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClosedStepsHaveTheIntervalOfOrderStatistics(t *testing.T) {
	w := ranWell(t, withUsers(3))
	w.model.low, w.model.high = 0.1, 9
	want := &handover.Interval{LowMicroseconds: 150_000, HighMicroseconds: 290_000}
	if diff := cmp.Diff(want, w.judge().Steps[0].P95Interval); diff != "" {
		t.Errorf("interval (-want +got):\n%s", diff)
	}
}

// A long step is simulated shorter: the spread of p95 with four times the logins is half as
// wide.
func TestTheSpreadOfALongStepIsNarrowed(t *testing.T) {
	w := ranWell(t, atRates(20), func(s *v1beta1.SizingTrialSpec) { s.Load.StepSeconds = 400 })
	w.model.low, w.model.high = 0.2, 2.2
	want := &handover.Interval{LowMicroseconds: 120_000, HighMicroseconds: 333_333}
	if diff := cmp.Diff(want, w.judge().Steps[0].AtReference.P95Interval); diff != "" {
		t.Errorf("interval (-want +got):\n%s", diff)
	}
}

func TestAStepIsJudgedByTheWiderInterval(t *testing.T) {
	tests := map[string]struct {
		change func(s *measurement.StepResult)
		low    float64
		high   float64
		want   v1beta1.StepOutcome
	}{
		"met when another run would meet it too": {func(s *measurement.StepResult) { latency(s, 500, 800, 900) }, 0.8, 1.25, v1beta1.StepMet},
		"undecided when it might not":            {func(s *measurement.StepResult) { latency(s, 500, 800, 900) }, 0.8, 1.26, v1beta1.StepUndecided},
		"failed when another run would fail too": {func(s *measurement.StepResult) { latency(s, 1100, 1250, 1300) }, 0.81, 1, v1beta1.StepFailed},
		"undecided when it might meet it":        {func(s *measurement.StepResult) { latency(s, 1100, 1250, 1300) }, 0.79, 1, v1beta1.StepUndecided},
		"met with few logins if all are within it, in another run too": {func(s *measurement.StepResult) {
			samples(s, 40)
			latency(s, 0, 800, 0)
		}, 0.8, 1.25, v1beta1.StepMet},
		"undecided with few logins if another run might not be within it": {func(s *measurement.StepResult) {
			samples(s, 40)
			latency(s, 0, 800, 0)
		}, 0.8, 1.26, v1beta1.StepUndecided},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t, allowing(0))
			test.change(w.reported())
			w.model.low, w.model.high = test.low, test.high
			if got := w.judge().Steps[1].Outcome; got != test.want {
				t.Errorf("the step is %s, want %s", got, test.want)
			}
		})
	}
}

func TestOpenStepsHaveTheirSimulatedP95(t *testing.T) {
	w := ranWell(t)
	w.model.p95 = 190 * time.Millisecond
	steps := w.judge().Steps
	want := &v1beta1.StepModel{CPUPerLoginMicroseconds: 20_100, P95Microseconds: 190_000, P95LowMicroseconds: 190_000, P95HighMicroseconds: 190_000, MeasuredPerMille: ptr.To[int64](1053)}
	for i, step := range steps[:3] {
		if diff := cmp.Diff(want, step.Model); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
	if steps[3].Model != nil {
		t.Errorf("the saturation has a model of open arrivals: %+v", steps[3].Model)
	}
}

func TestStepsThatAreNotSimulated(t *testing.T) {
	for name, disturb := range map[string]func(w *fixture){
		"without the service's CPU time":   func(w *fixture) { w.reported().Service = nil },
		"of fewer than twenty hashes":      func(w *fixture) { w.reported().Service.Hashes = 19 },
		"of an overloaded step":            func(w *fixture) { fail(w.reported(), 20, &w.reported().TimedOut) },
		"of a service with sessions":       func(w *fixture) { w.Spec.Variant.Hash.Sessions = true },
		"if its own p95 is a failure's":    func(w *fixture) { w.model.known = false },
		"without a p95":                    func(w *fixture) { w.reported().P95Microseconds, w.reported().P95Interval = nil, nil },
		"of more logins than it simulates": func(w *fixture) { w.at(70).Requests = 20_001 },
	} {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t)
			disturb(w)
			if got := w.judge().Steps[1].Model; got != nil {
				t.Errorf("the step has a model: %+v", got)
			}
		})
	}
}
