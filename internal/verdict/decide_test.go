package verdict_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// stored returns a judged run as it is stored in a trial.
func stored(in verdict.Input, judged verdict.Judgement) v1beta1.SizingTrial {
	trial := v1beta1.SizingTrial{Spec: in.Spec}
	trial.Status = v1beta1.SizingTrialStatus{
		Calibration: &in.Calibration, Prediction: model.Before(in.Spec, in.Calibration),
		Result: &judged.Result, Capacity: judged.Capacity, Steps: judged.Steps, Evidence: judged.Evidence,
		Speed: judged.Speed,
	}
	return trial
}

func capacityOf(trial v1beta1.SizingTrial) int64 {
	return ptr.Deref(trial.Status.Result.CapacityMilliPerSecond, 0)
}

func TestForObjectiveKeepsATrialUnderItsOwnObjective(t *testing.T) {
	in, _ := simulatedRun(t, v1beta1.ConcurrencyWorkerPool, 500, 1)
	trial := stored(in, verdict.Judge(in))
	if diff := cmp.Diff(trial, verdict.ForObjective(trial, trial.Spec.Objective)); diff != "" {
		t.Errorf("the trial changed (-stored +got):\n%s", diff)
	}
}

// The run is judged under one objective and then converted to another, and judged under the
// other one directly. The results are equal, since both follow from what is stored.
func TestForObjectiveEqualsJudge(t *testing.T) {
	t.Parallel()
	for quota, concurrency := range map[int64]v1beta1.ConcurrencyMode{500: v1beta1.ConcurrencyWorkerPool, 0: v1beta1.ConcurrencyUnbounded} {
		in, _ := simulatedRun(t, concurrency, quota, 1)
		trial := stored(in, verdict.Judge(in))
		for _, share := range []int32{40, 150} {
			objective := in.Spec.Objective
			objective.P95Milliseconds = objective.P95Milliseconds * share / 100
			asked := verdict.ForObjective(trial, objective)
			again := in
			again.Spec.Objective = objective
			judged := verdict.Judge(again)
			if diff := cmp.Diff(judged.Capacity, asked.Status.Capacity); diff != "" {
				t.Errorf("%s of %dm at %d %%: capacity (-judged +asked):\n%s", concurrency, quota, share, diff)
			}
			for i, step := range judged.Steps {
				if asked.Status.Steps[i].Outcome != step.Outcome {
					t.Errorf("%s of %dm at %d %%: step %d is %s, judged %s", concurrency, quota, share, i, asked.Status.Steps[i].Outcome, step.Outcome)
				}
			}
			if diff := cmp.Diff(judged.Result.ObjectiveMet, asked.Status.Result.ObjectiveMet); diff != "" {
				t.Errorf("%s of %dm at %d %%: objective met (-judged +asked):\n%s", concurrency, quota, share, diff)
			}
		}
	}
}

func TestAStricterObjectiveNeverHasAHigherCapacity(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(3, 4))
	in, _ := simulatedRun(t, v1beta1.ConcurrencyWorkerPool, 500, 2)
	whole := stored(in, verdict.Judge(in))
	disturb := []func(steps []v1beta1.Step){
		func([]v1beta1.Step) {},
		func(steps []v1beta1.Step) { // the steps fail although the model predicts otherwise
			for _, step := range steps {
				if step.AtReference == nil {
					continue
				}
				if p95 := step.AtReference.P95Interval; p95 != nil {
					p95.LowMicroseconds, p95.HighMicroseconds = p95.LowMicroseconds*3/2, p95.HighMicroseconds*3/2
				}
			}
		},
		func(steps []v1beta1.Step) { steps[0].OtherErrors, steps[0].OK = 3, steps[0].OK-3 },
		func(steps []v1beta1.Step) { *steps[0].P95Microseconds *= 3 }, // the model is not used
	}
	for run, change := range disturb {
		trial := *whole.DeepCopy()
		change(trial.Status.Steps)
		type asked struct {
			objective v1beta1.Objective
			capacity  int64
		}
		var all []asked
		if run == 0 { // the others were not judged with these steps
			all = append(all, asked{trial.Spec.Objective, capacityOf(trial)})
		}
		for range 10 {
			objective := v1beta1.Objective{P95Milliseconds: 1 + source.Int32N(900), MaxErrorPerMille: ptr.To(source.Int32N(6))}
			if source.IntN(2) == 0 {
				objective.P50Milliseconds = ptr.To(1 + source.Int32N(objective.P95Milliseconds))
			}
			if source.IntN(2) == 0 {
				objective.P99Milliseconds = ptr.To(objective.P95Milliseconds + source.Int32N(900))
			}
			all = append(all, asked{objective, capacityOf(verdict.ForObjective(trial, objective))})
		}
		for _, a := range all {
			for _, b := range all {
				if stricter(a.objective, b.objective) && a.capacity > b.capacity {
					t.Errorf("run %d: %+v has %d, the looser %+v has %d", run, a.objective, a.capacity, b.objective, b.capacity)
				}
			}
		}
	}
}

func TestForObjectiveDoesNotUseAContradictedModel(t *testing.T) {
	t.Parallel()
	in, _ := simulatedRun(t, v1beta1.ConcurrencyWorkerPool, 500, 2)
	trial := stored(in, verdict.Judge(in))
	looser := trial.Spec.Objective
	looser.P95Milliseconds *= 2
	for _, method := range []v1beta1.CapacityMethod{v1beta1.CapacityBoth, v1beta1.CapacityMeasured} {
		trial.Status.Capacity.Method = method
		used := verdict.ForObjective(trial, looser).Status.Capacity.Method != v1beta1.CapacityMeasured
		if used != (method == v1beta1.CapacityBoth) {
			t.Errorf("after a capacity that was %s, the model is used: %t", method, used)
		}
	}
}

// stricter reports whether every service that meets one objective meets the other. A
// percentile that is not set has no limit.
func stricter(a, b v1beta1.Objective) bool {
	within := func(a, b *int32) bool { return b == nil || a != nil && *a <= *b }
	return a.P95Milliseconds <= b.P95Milliseconds && *a.MaxErrorPerMille <= *b.MaxErrorPerMille &&
		within(a.P50Milliseconds, b.P50Milliseconds) && within(a.P99Milliseconds, b.P99Milliseconds)
}

// An infeasible trial has no steps. Under a looser objective it is judged by its
// calibration alone, so it is never Valid.
func TestForObjectiveJudgesAnUnloadedTrialByItsCalibration(t *testing.T) {
	w := ranWell(t, func(s *v1beta1.SizingTrialSpec) { s.Objective.P95Milliseconds = 10 })
	predicted := model.Before(w.Spec, w.Calibration)
	trial := stored(w.Input, verdict.Unloaded(w.Spec, w.Calibration, predicted, 0))
	for name, test := range map[string]struct {
		p95     int32
		met     bool
		verdict v1beta1.Verdict
		reason  string
	}{
		"a stricter one is as infeasible": {5, false, fine, v1beta1.ReasonInfeasible},
		"a looser one may be, too":        {15, false, fine, v1beta1.ReasonInfeasible},
		"one that an idle service meets":  {1000, true, suspect, v1beta1.ReasonEvidenceMissing},
	} {
		t.Run(name, func(t *testing.T) {
			asked := verdict.ForObjective(trial, v1beta1.Objective{P95Milliseconds: test.p95, MaxErrorPerMille: ptr.To[int32](1)})
			row := asked.Status.Result
			if *row.ObjectiveMet != test.met || row.Verdict != test.verdict || row.Reasons[0].Type != test.reason || (capacityOf(asked) > 0) != test.met {
				t.Errorf("the row is %+v", row)
			}
			if test.met != (asked.Status.Prediction.CapacityMilliPerSecond != nil) {
				t.Errorf("the prediction is %+v", asked.Status.Prediction)
			}
		})
	}
}

// While a variant was calibrated, the CPU can have been faster or slower than the reference
// that its load would have been planned for.
func TestForObjectiveJudgesAnUnloadedTrialAtItsPlannedSpeed(t *testing.T) {
	asked := func(calibrated int64) v1beta1.SizingTrial {
		w := ranWell(t, func(s *v1beta1.SizingTrialSpec) { s.Objective.P95Milliseconds = 10 })
		w.Calibration.HashMicroseconds, w.Calibration.ReferenceMicroseconds = calibrated, calibrated
		planned := speed.At(w.Calibration, 20_000)
		trial := stored(w.Input, verdict.Unloaded(w.Spec, planned, model.Before(w.Spec, planned), 0))
		trial.Status.Speed.PlannedHashMicrosecondsAtCost8 = 20_000
		return verdict.ForObjective(trial, v1beta1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: ptr.To[int32](1)})
	}
	want, got := asked(20_000).Status, asked(16_000).Status
	if got.Result.Speed.MedianPerMille != 800 {
		t.Errorf("its calibration ran at %d ‰ of the reference, want 800", got.Result.Speed.MedianPerMille)
	}
	got.Result.Speed = want.Result.Speed // everything else is equal
	if diff := cmp.Diff(want.Result, got.Result); diff != "" {
		t.Errorf("the row (-calibrated at the planned speed +when the CPU was faster):\n%s", diff)
	}
	if got.Speed.ReferenceHashMicrosecondsAtCost8 != 20_000 {
		t.Errorf("the reference is %d µs, want the planned 20000", got.Speed.ReferenceHashMicrosecondsAtCost8)
	}
}

func TestForObjectiveTakesTheCapacityFromGivenRates(t *testing.T) {
	w := ranWell(t, atRates(5, 10, 15))
	trial := stored(w.Input, w.judge()) // p95 150 to 290 ms at each
	for p95, want := range map[int32]int64{100: 0, 200: 0, 290: 15_000, 2000: 15_000} {
		asked := verdict.ForObjective(trial, v1beta1.Objective{P95Milliseconds: p95, MaxErrorPerMille: ptr.To[int32](1)})
		if got := capacityOf(asked); got != want {
			t.Errorf("within %d ms: %d, want %d", p95, got, want)
		}
	}
}

// FuzzAskingNeverFails judges incomplete stored trials under another objective.
func FuzzAskingNeverFails(f *testing.F) {
	f.Add(uint8(0), uint8(0), int32(500), int64(100_000), int64(40))
	f.Add(uint8(1), uint8(3), int32(1), int64(0), int64(0))
	f.Add(uint8(2), uint8(7), int32(60_000), int64(-5), int64(1<<40))
	f.Add(uint8(0), uint8(1<<4), int32(500), int64(100_000), int64(-24))
	f.Fuzz(func(t *testing.T, mode, lost uint8, p95 int32, latency, logins int64) {
		w := ranWell(t, [](func(*v1beta1.SizingTrialSpec)){func(*v1beta1.SizingTrialSpec) {}, atRates(1, 20, 50), withUsers(1, 8)}[mode%3])
		trial := stored(w.Input, w.judge())
		status := &trial.Status
		for bit, lose := range []func(){
			func() { status.Calibration = nil },
			func() { status.Prediction, status.Capacity = nil, nil },
			func() { status.Steps = nil },
			func() { status.Steps[0].P95Interval, status.Steps[0].Service = nil, nil },
			func() { status.Steps[0].P95Microseconds, status.Steps[0].OK = &latency, logins },
			func() {
				status.Steps[0].Model = &v1beta1.StepModel{P95Microseconds: latency, CPUPerLoginMicroseconds: logins}
			},
			func() { status.Steps[0].OfferedMilliPerSecond, status.Steps[0].Users = nil, nil },
			func() { status.Result = nil },
		} {
			if lost&(1<<bit) != 0 && (bit < 3 || bit == 7 || len(status.Steps) > 0) {
				lose()
			}
		}
		before := trial.DeepCopy()
		asked := verdict.ForObjective(trial, v1beta1.Objective{P95Milliseconds: p95})
		if diff := cmp.Diff(*before, trial); diff != "" {
			t.Errorf("the stored trial was changed (-before +after):\n%s", diff)
		}
		if len(asked.Status.Steps) != len(status.Steps) {
			t.Errorf("%d steps of %d", len(asked.Status.Steps), len(status.Steps))
		}
	})
}

func TestCPUPerLoginIsThatOfTheSaturation(t *testing.T) {
	w := ranWell(t)
	trial := stored(w.Input, w.judge())
	if got := verdict.CPUPerLogin(&trial).Microseconds(); got != 20_100 {
		t.Errorf("a login takes %d µs, want 20100", got)
	}
	trial.Status.Steps = trial.Status.Steps[:2] // no saturation is left
	if got := verdict.CPUPerLogin(&trial).Microseconds(); got != 20_100 || trial.Status.Steps[1].Kind != v1beta1.StepKind(loadplan.Open) {
		t.Errorf("a login of the reported step takes %d µs", got)
	}
	if got := verdict.CPUPerLogin(&v1beta1.SizingTrial{}); got != 0 {
		t.Errorf("a login of nothing takes %v", got)
	}
}

// A trial that an earlier version judged doesn't say what its steps were for.
func TestForObjectiveLeavesATrialOfAnEarlierVersionUndecided(t *testing.T) {
	w := ranWell(t)
	trial := stored(w.Input, w.judge())
	for i := range trial.Status.Steps {
		trial.Status.Steps[i].Purpose = ""
	}
	objective := trial.Spec.Objective
	objective.P95Milliseconds *= 2
	asked := verdict.ForObjective(trial, objective).Status
	last := asked.Result.Reasons[len(asked.Result.Reasons)-1]
	if asked.Result.CapacityMilliPerSecond != nil || asked.Result.ObjectiveMet != nil || asked.Result.Verdict != suspect ||
		last.Type != v1beta1.ReasonEvidenceMissing || !strings.Contains(last.Message, "Measure it again") || asked.Capacity.Message != last.Message {
		t.Errorf("the row is %+v, and the capacity %+v", asked.Result, asked.Capacity)
	}
	if trial.Status.Result.CapacityMilliPerSecond == nil {
		t.Error("the stored trial was changed")
	}
}

// The first trial of a node pool fixes its reference speed. The windows of a hash of a microsecond are times of
// everything around it.
func TestOnlyAHashThatCanBeTimedSetsTheReferenceByItsLoad(t *testing.T) {
	for name, test := range map[string]struct{ hash, inLoad, want int64 }{
		"a hash of 20 ms that takes 30 ms under load": {20_000, 30_000, 30_000},
		"a hash of 1 µs that takes 16 µs under load":  {1, 16, 20_000},
	} {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t)
			w.Reference, w.Calibration.HashMicroseconds, w.Calibration.RatioPerMillion = 0, test.hash, 50*test.hash
			w.Run.Timeline = &measurement.Timeline{Window: time.Second}
			for range 60 {
				w.Run.Timeline.HashNanoseconds = append(w.Run.Timeline.HashNanoseconds, 1000*test.inLoad)
			}
			got := w.judge().Speed
			if got.ReferenceHashMicrosecondsAtCost8 != test.want || (len(got.WindowsPerMille) > 0) != (test.hash > 1) {
				t.Errorf("the speed is %+v, want a reference of %d µs", got, test.want)
			}
		})
	}
}
