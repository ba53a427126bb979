package telemetry_test

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/queue"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(after time.Duration) *metav1.Time { return ptr.To(metav1.NewTime(noon.Add(after))) }

// state returns a state with the operator's default flags.
func state(experiments []v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) telemetry.State {
	return telemetry.State{
		Experiments: experiments, Trials: trials, Now: noon,
		MaxExperiments: 100, StartTimeout: 5 * time.Minute,
		Positions: queue.Decide(queue.Situation{Experiments: experiments, Trials: trials, Limit: 1, Now: noon}).Position,
	}
}

// asked returns an experiment that was created half an hour before noon.
func asked(name string, changes ...func(*v1beta1.SizingExperiment)) v1beta1.SizingExperiment {
	e := v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team-a", Name: name, UID: types.UID("uid-of-" + name), CreationTimestamp: *at(-30 * time.Minute),
		},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:      v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("500m", "1")},
			Objective:   v1beta1.Objective{P95Milliseconds: 1000},
			Load:        v1beta1.Load{StepSeconds: 10, RequestTimeoutSeconds: 10},
			Service:     v1beta1.Service{Replicas: 1, MemoryLimit: ptr.To(intstr.Parse("128Mi"))},
			Repetitions: ptr.To[int32](1), Parallelism: ptr.To[int32](1), AttemptsPerTrial: ptr.To[int32](3),
		},
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

// planned returns the trials of an experiment, which are waiting.
func planned(e *v1beta1.SizingExperiment) []v1beta1.SizingTrial {
	plan, err := matrix.Plan(e, 84) // in the order of the matrix, with two to four variants
	if err != nil {
		panic(err)
	}
	var trials []v1beta1.SizingTrial
	for _, p := range plan {
		trials = append(trials, v1beta1.SizingTrial{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: e.Namespace, Name: p.Name,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(e, v1beta1.GroupVersion.WithKind("SizingExperiment"))},
			},
			Spec: p.Spec,
		})
	}
	return trials
}

// gather writes the rows and the progress of an experiment, as the operator does.
func gather(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
	variants, err := matrix.Variants(e.Spec.Matrix)
	if err != nil {
		panic(err)
	}
	e.Status.Results = results.Results(variants, trials, e.Spec.Baseline)
	e.Status.Progress = results.Progress(trials, len(trials))
}

// began starts a trial so long before noon. Its attempt is still running.
func began(trial *v1beta1.SizingTrial, before time.Duration) {
	trial.Spec.Suspend = false
	trial.Status.Phase, trial.Status.Reason, trial.Status.StartTime = v1beta1.TrialRunning, v1beta1.ReasonUnderLoad, at(-before)
	trial.Status.Attempts = []v1beta1.Attempt{{Number: 1, StartTime: *at(-before)}}
}

// ended ends a trial a minute before noon.
func ended(trial *v1beta1.SizingTrial, phase v1beta1.TrialPhase, reason string) {
	began(trial, 4*time.Minute)
	last := &trial.Status.Attempts[0]
	last.EndTime, last.Outcome, last.Reason = at(-65*time.Second), v1beta1.OutcomeBroken, reason
	trial.Status.Phase, trial.Status.Reason, trial.Status.CompletionTime = phase, reason, at(-time.Minute)
	meta.SetStatusCondition(&trial.Status.Conditions, metav1.Condition{
		Type: v1beta1.ConditionReleased, Status: metav1.ConditionTrue, Reason: reason, LastTransitionTime: *at(-time.Minute),
	})
}

// measured ends a trial with the result of a service with this bound, in thousandths of
// logins per second, and an offered rate of 70 % of it.
func measured(trial *v1beta1.SizingTrial, boundMilli int64, change ...func(*v1beta1.SizingTrialStatus)) {
	ended(trial, v1beta1.TrialSucceeded, v1beta1.ReasonMeasured)
	trial.Status.Attempts[0].Outcome = v1beta1.OutcomeKept
	for i, percent := range []int32{50, 70, 85} {
		trial.Status.Steps = append(trial.Status.Steps, open(percent, boundMilli, int64(i)))
	}
	trial.Status.Steps = append(trial.Status.Steps, v1beta1.Step{
		Kind: v1beta1.StepSaturation, Outcome: v1beta1.StepNotJudged, Users: ptr.To[int32](4),
		StepResult: handover.StepResult{
			Scheduled: 120, OK: 116, Cut: 4, ThroughputMilliPerSecond: ptr.To(boundMilli * 98 / 100),
		},
	})
	trial.Status.Steps[1].Reported = true
	reported := trial.Status.Steps[1]
	trial.Status.Result = &v1beta1.VariantResult{
		Variant: trial.Spec.Variant.Name, Hash: trial.Spec.Variant.Hash,
		CPULimit: trial.Spec.Variant.CPULimit, Trials: 1, Verdict: v1beta1.VerdictValid, ObjectiveMet: ptr.To(true),
		Calibration:         &handover.CalibrationResult{HashMicroseconds: 1_000_000_000 / boundMilli},
		BoundMilliPerSecond: ptr.To(boundMilli), MaxThroughputMilliPerSecond: ptr.To(boundMilli * 98 / 100),
		CapacityMilliPerSecond: ptr.To(boundMilli * 9 / 10), CapacityMethod: v1beta1.CapacityBoth,
		ReportedLoadPerMille: reported.PlannedLoadPerMille, OfferedMilliPerSecond: reported.OfferedMilliPerSecond,
		MemoryPeakBytes: ptr.To[int64](11 << 20),
		P50Microseconds: reported.P50Microseconds, P99Microseconds: reported.P99Microseconds,
		P95Microseconds: reported.P95Microseconds, P95Interval: reported.P95Interval,
		ThrottledPerMille: ptr.To[int64](420),
	}
	for _, c := range change {
		c(&trial.Status)
	}
}

func open(percent int32, boundMilli, failed int64) v1beta1.Step {
	p95 := int64(percent) * 5_000
	return v1beta1.Step{
		Kind: v1beta1.StepOpen, Outcome: v1beta1.StepMet, PlannedLoadPerMille: ptr.To(10 * int64(percent)),
		OfferedMilliPerSecond: ptr.To(boundMilli * int64(percent) / 100), StepResult: handover.StepResult{Scheduled: 200, OK: 200 - failed, Refused: failed,
			P50Microseconds: ptr.To(p95 / 3), P99Microseconds: ptr.To(p95 * 3 / 2),
			P95Microseconds: ptr.To(p95), P95Interval: &handover.Interval{LowMicroseconds: p95 * 8 / 10, HighMicroseconds: p95 * 13 / 10}},
		Service: &v1beta1.StepCPU{CPUMicroseconds: 4_000_000, Periods: ptr.To[int64](100), ThrottledPeriods: ptr.To[int64](42)},
	}
}

func finished(e *v1beta1.SizingExperiment, phase v1beta1.ExperimentPhase, reason string) {
	e.Status.Phase, e.Status.StartTime, e.Status.CompletionTime = phase, at(-20*time.Minute), at(-time.Minute)
	e.Status.Conditions = []metav1.Condition{{Type: v1beta1.ConditionFinished, Status: metav1.ConditionTrue, Reason: reason}}
}

// clinic is a typical cluster: one experiment is half done, one has finished, one is
// waiting, one has a recommendation, and one has a demand that no size meets.
func clinic() telemetry.State {
	half := asked("sizing", func(e *v1beta1.SizingExperiment) {
		e.Status.Phase, e.Status.StartTime = v1beta1.ExperimentRunning, at(-12*time.Minute)
		e.Status.Conditions = []metav1.Condition{{Type: v1beta1.ConditionFinished, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonNotFinished}}
	})
	trials := planned(&half)
	measured(&trials[0], 25_000)
	measured(&trials[1], 60_000, func(s *v1beta1.SizingTrialStatus) {
		s.Result.Verdict, s.Result.ThrottledPerMille = v1beta1.VerdictSuspect, nil
		s.Result.Reasons = []v1beta1.Reason{{Type: "NotSteady", Verdict: v1beta1.VerdictSuspect}}
		for i := range s.Steps {
			s.Steps[i].Service = nil
		}
	})
	ended(&trials[2], v1beta1.TrialFailed, v1beta1.ReasonImagePull)
	began(&trials[3], 90*time.Second)
	gather(&half, trials)
	half.Status.Progress.EstimatedEndTime = at(3 * time.Minute)

	done := asked("hashes", func(e *v1beta1.SizingExperiment) {
		e.Namespace = "team-b"
		e.Spec.Matrix = v1beta1.Matrix{
			CPULimits: fixture.Limits("1"), Concurrency: []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](2), QueueLength: ptr.To[int32](64)}},
			Hashes:    []v1beta1.Hash{{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}},
			NodePools: []v1beta1.NodePool{{Name: "small"}},
		}
		finished(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	})
	doneTrials := planned(&done)
	measured(&doneTrials[0], 40_000)
	gather(&done, doneTrials)

	waits := asked("later", func(e *v1beta1.SizingExperiment) { e.Status.Phase = v1beta1.ExperimentQueued })
	waitingTrials := planned(&waits)
	gather(&waits, waitingTrials)

	answered, answeredTrials := sized("answered")
	tooMuch := asked("too-much", demanding)
	tooMuch.Status.Recommendation = &v1beta1.Recommendation{BrokenBound: v1beta1.BoundMaxTotalCPU}

	all := slices.Concat(trials, doneTrials, waitingTrials, answeredTrials)
	return state([]v1beta1.SizingExperiment{half, done, waits, answered, tooMuch}, all)
}

// largest is the experiment with the most series that the API allows: 64 variants in ten
// repetitions, each row with the maximum number of reasons.
func largest(name string) (v1beta1.SizingExperiment, []v1beta1.SizingTrial) {
	e := asked(name, func(e *v1beta1.SizingExperiment) {
		e.Spec.Matrix.Costs = []int32{4, 5, 6, 7, 8, 9, 10, 11}
		e.Spec.Matrix.CPULimits = fixture.Limits("100m", "200m", "300m", "400m", "500m", "600m", "700m", "800m")
		e.Spec.Repetitions, e.Spec.Parallelism = ptr.To[int32](10), ptr.To[int32](8)
		e.Status.Phase, e.Status.StartTime = v1beta1.ExperimentRunning, at(-time.Hour)
	})
	trials := planned(&e)
	for i := range trials {
		switch trial := &trials[i]; {
		case trial.Spec.Repetition == 1:
			measured(trial, 25_000, func(s *v1beta1.SizingTrialStatus) {
				for len(s.Steps) < 24 {
					s.Steps = append(s.Steps, open(60, 25_000, 0))
				}
				s.Steps[3] = open(60, 25_000, 0)
			})
		case i >= len(trials)-8:
			began(trial, time.Minute)
		default:
			ended(trial, v1beta1.TrialFailed, v1beta1.ReasonImagePull)
		}
	}
	gather(&e, trials)
	for i := range e.Status.Results {
		e.Status.Results[i].Reasons = nil
		for n := range v1beta1.MaxReasons {
			e.Status.Results[i].Reasons = append(e.Status.Results[i].Reasons, v1beta1.Reason{Type: fmt.Sprintf("Reason%d", n)})
		}
	}
	e.Status.Progress.EstimatedEndTime = at(time.Hour)
	answerAll(&e)
	return e, trials
}

// answerAll fills in all fields of every row, and the maximum number of predictions and
// hash times.
func answerAll(e *v1beta1.SizingExperiment) {
	full, _ := sized("full")
	e.Spec.Demand, e.Spec.Prices = full.Spec.Demand, full.Spec.Prices
	for i := range e.Status.Results {
		row, like := &e.Status.Results[i], full.Status.Results[0]
		row.Sizing, row.Price, row.Comparison, row.Speed = like.Sizing, like.Price, like.Comparison, like.Speed
	}
	for n := range 64 {
		p := full.Status.Predictions[0]
		p.Variant = fmt.Sprintf("p%d", n)
		e.Status.Predictions = append(e.Status.Predictions, p)
	}
	for n := range 64 {
		h := full.Status.HashTimes[0]
		h.NodePool = fmt.Sprintf("pool%d", n)
		e.Status.HashTimes = append(e.Status.HashTimes, h)
	}
	for n := range 8 {
		s := full.Status.Speed[0]
		s.NodePool = fmt.Sprintf("pool%d", n)
		e.Status.Speed = append(e.Status.Speed, s)
	}
	e.Status.ModelCheck, e.Status.Recommendation = full.Status.ModelCheck, full.Status.Recommendation
}
