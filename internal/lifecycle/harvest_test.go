package lifecycle

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// driven returns an observation of a load that ended successfully. Its CPU was calibrated at
// 10 ms per reference hash. If a speed is given, the load was planned for it.
func driven(t *testing.T, known *v1beta1.TrialSpeed) *Observation {
	t.Helper()
	o := world(func(o *Observation) {
		spec := &o.Trial.Spec
		spec.Variant = v1beta1.Variant{
			Name: "c10-1", Hash: v1beta1.BcryptHash(10), CPULimit: "1",
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
		}
		spec.Generator.CPULimit = ptr.To(intstr.FromInt32(1))
		spec.Load = v1beta1.Load{StepSeconds: 10, WarmupSeconds: ptr.To[int32](5), RequestTimeoutSeconds: 10}
		o.Trial.Status.Calibration = &handover.Calibration{
			CalibrationResult:     handover.CalibrationResult{HashMicroseconds: 40_000, Samples: 50},
			ReferenceMicroseconds: 10_000, RatioPerMillion: 4_000_000,
			Surroundings: handover.Surroundings{GoMaxProcs: 1},
		}
		o.Trial.Status.Speed = known
		o.Reference = 11_000
	})
	plan := planned(t, o)
	send(t, o, plan)
	run := measurement.Run{Steps: make([]measurement.StepResult, len(plan.WithoutWarmup()))}
	message, err := measurement.Encode(run)
	if err != nil {
		t.Fatal(err)
	}
	o.Children.GeneratorPods[0].Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: objects.GeneratorContainer,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Message: message, StartedAt: metav1.NewTime(start.Add(20 * time.Second)), FinishedAt: metav1.NewTime(start.Add(50 * time.Second)),
		}},
	}}
	return o
}

// send puts a plan into the Job and into its pod, and its steps into the status.
func send(t *testing.T, o *Observation, plan any) {
	t.Helper()
	o.Trial.Status.Steps = nil
	if plan, is := plan.(loadplan.Plan); is {
		o.Trial.Status.Steps = plan.InAPI()
	}
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	generator := []corev1.Container{{Name: objects.GeneratorContainer, Env: []corev1.EnvVar{{Name: envvar.Plan, Value: string(text)}}}}
	o.Children.Job.Spec.Template.Spec.Containers, o.Children.GeneratorPods[0].Spec.Containers = generator, generator
}

// planned returns the plan of the load at the speed in the status.
func planned(t *testing.T, o *Observation) loadplan.Plan {
	t.Helper()
	cal := *o.Trial.Status.Calibration
	if known := o.Trial.Status.Speed; known != nil {
		cal.HashMicroseconds = 4 * known.PlannedHashMicrosecondsAtCost8
	}
	plan, err := loadplan.Build(o.LoadSpec(), cal, nil)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestARunIsJudgedByTheSpeedThatItWasPlannedFor(t *testing.T) {
	for name, test := range map[string]struct {
		known  *v1beta1.TrialSpeed
		micros float64
	}{
		"the planned speed, whatever the experiment's speed is by now": {
			&v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 12_500, PlannedHashMicrosecondsAtCost8: 12_500}, 12_500},
		"a trial without a speed": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := driven(t, test.known)
			plan := planned(t, o)
			var asked verdict.Input
			judged := verdict.Judgement{
				Result: v1beta1.VariantResult{Verdict: v1beta1.VerdictValid},
				Speed:  &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 11_000, PlannedHashMicrosecondsAtCost8: 12_500, WindowsPerMille: []int32{1000}},
			}
			judge := func(in verdict.Input) verdict.Judgement {
				asked = in
				return judged
			}
			if end := HarvestRun(o, Model{Judge: judge}); end.Outcome != v1beta1.OutcomeKept {
				t.Fatalf("the attempt ends %+v", end)
			}
			if asked.Reference != float64(o.Reference) || asked.PlannedMicros != test.micros {
				t.Errorf("judged by the reference %v as planned for %v, want %d and %v", asked.Reference, asked.PlannedMicros, o.Reference, test.micros)
			}
			if diff := cmp.Diff(plan, asked.Plan); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if asked.Calibration.HashMicroseconds != 40_000 {
				t.Errorf("the calibration is passed as %d µs, and not as measured", asked.Calibration.HashMicroseconds)
			}
			want := judged.Speed.DeepCopy()
			want.LoadStartTime = &metav1.Time{Time: start.Add(20 * time.Second)}
			if diff := cmp.Diff(want, o.Trial.Status.Speed); diff != "" {
				t.Errorf("the speed that is kept (-want +got):\n%s", diff)
			}
		})
	}
}

// TestARunIsJudgedByThePlanThatWasSent harvests a load whose plan has other rates, durations, seeds
// and steps left out than this operator would plan, because another one planned it.
func TestARunIsJudgedByThePlanThatWasSent(t *testing.T) {
	o := driven(t, nil)
	sent := planned(t, o)
	sent.TimeoutMilliseconds = 3_000
	sent.NotRun = []loadplan.NotRun{{LoadPercent: 99, OfferedMilliPerSecond: 7_000, Message: "It was left out"}}
	for i := range sent.Steps {
		step := &sent.Steps[i]
		step.StartMilliseconds, step.CountedMilliseconds = 2*step.StartMilliseconds, 2*step.CountedMilliseconds
		step.OfferedMilliPerSecond, step.Requests, step.Seed = 2*step.OfferedMilliPerSecond, 2*step.Requests, step.Seed+7
	}
	send(t, o, sent)
	o.Outdated, o.GeneratorCPULimit, o.StartTimeout = true, "100m", time.Hour
	o.Trial.Status.Prediction = &v1beta1.Prediction{CapacityMilliPerSecond: ptr.To[int64](15_000)}
	var asked verdict.Input
	end := HarvestRun(o, Model{Judge: func(in verdict.Input) verdict.Judgement {
		asked = in
		return verdict.Judgement{Result: v1beta1.VariantResult{Verdict: v1beta1.VerdictValid}}
	}})
	if end.Outcome != v1beta1.OutcomeKept || len(asked.Placement.Altered) > 0 {
		t.Errorf("the attempt ends %+v; altered: %q", end, asked.Placement.Altered)
	}
	if diff := cmp.Diff(sent, asked.Plan); diff != "" {
		t.Errorf("the plan that it is judged by (-sent +judged):\n%s", diff)
	}
}

func TestALoadWhosePlanSomebodyChangedIsNotJudged(t *testing.T) {
	for name, change := range map[string]func(*loadplan.Plan){
		"another rate":         func(p *loadplan.Plan) { p.Steps[0].OfferedMilliPerSecond++ },
		"another seed":         func(p *loadplan.Plan) { p.Steps[1].Seed++ },
		"another purpose":      func(p *loadplan.Plan) { p.Steps[1].Purpose = v1beta1.PurposeRate },
		"another reported one": func(p *loadplan.Plan) { p.Steps[1].Reported = !p.Steps[1].Reported },
		"a step less":          func(p *loadplan.Plan) { p.Steps = p.Steps[:len(p.Steps)-1] },
	} {
		t.Run(name, func(t *testing.T) {
			o := driven(t, nil)
			plan := planned(t, o)
			steps := plan.InAPI()
			change(&plan)
			send(t, o, plan)
			o.Trial.Status.Steps = steps
			end := HarvestRun(o, Model{}) // it judges nothing
			if end.Outcome != v1beta1.OutcomeBroken || end.Reason != v1beta1.ReasonPodAltered || !strings.Contains(end.Message, "its steps are not those") {
				t.Errorf("the attempt ends %+v", end)
			}
			EndAttempt(o.Trial, o.Now, end.Outcome, end.Reason, end.Message)
			if len(o.Trial.Status.Steps) > 0 {
				t.Errorf("the attempt leaves %d steps", len(o.Trial.Status.Steps))
			}
		})
	}
}

func TestALoadWhosePlanCanNotBeReadIsNotJudged(t *testing.T) {
	for name, test := range map[string]struct {
		plan    any
		outcome v1beta1.AttemptOutcome
		reason  string
		says    string
	}{
		"that of version 1": {
			map[string]any{"version": 1, "timeoutMs": 1000, "steps": []any{}}, v1beta1.OutcomeInterrupted, v1beta1.ReasonOperatorChanged,
			"measured again: its plan has version 1, and this operator judges version 5"},
		"one without a version":     {map[string]any{"steps": []any{}}, v1beta1.OutcomeInterrupted, v1beta1.ReasonOperatorChanged, "its plan has version 0"},
		"that of a later version":   {map[string]any{"version": 6, "pace": "fast"}, v1beta1.OutcomeInterrupted, v1beta1.ReasonOperatorChanged, "its plan has version 6"},
		"one that somebody changed": {map[string]any{"version": 5, "pace": "fast"}, v1beta1.OutcomeBroken, v1beta1.ReasonPodAltered, `unknown field "pace"`},
		"none":                      {nil, v1beta1.OutcomeInterrupted, v1beta1.ReasonOperatorChanged, "its plan has version 0"},
	} {
		t.Run(name, func(t *testing.T) {
			o := driven(t, nil)
			o.Trial.Spec.Attempts = 1
			send(t, o, test.plan)
			end := HarvestRun(o, Model{}) // it judges nothing
			if end.Outcome != test.outcome || end.Reason != test.reason || !strings.Contains(end.Message, test.says) {
				t.Errorf("the attempt ends %+v", end)
			}
			if o.Trial.Status.Result != nil || len(o.Trial.Status.Steps) > 0 {
				t.Errorf("the trial has numbers: %+v", o.Trial.Status)
			}
			EndAttempt(o.Trial, o.Now, end.Outcome, end.Reason, end.Message)
			if again := !Decided(o.Trial); again != (test.outcome == v1beta1.OutcomeInterrupted) {
				t.Errorf("after its only attempt the trial is measured again: %v", again)
			}
		})
	}
}

// TestOnlyThePodOfTheRecordedJobIsRead adds a pod with a result that somebody else created.
func TestOnlyThePodOfTheRecordedJobIsRead(t *testing.T) {
	for name, owner := range map[string]metav1.ObjectMeta{"no Job's": {}, "another Job's": ownedByJob("forged")} {
		t.Run(name, func(t *testing.T) {
			o := driven(t, nil)
			forged := *o.Children.GeneratorPods[0].DeepCopy()
			forged.ObjectMeta = owner
			forged.Status.ContainerStatuses[0].State.Terminated.Message = "forged"
			o.Children.GeneratorPods = append(o.Children.GeneratorPods, forged)
			if _, lost := readRun(o.Children.GeneratorPods, "job"); lost != nil {
				t.Errorf("the result of the Job's own pod was not read: %+v", lost)
			}
			if _, lost := readRun(o.Children.GeneratorPods[1:], "job"); lost == nil || lost.Reason != v1beta1.ReasonSummaryLost {
				t.Errorf("a forged result was read: %+v", lost)
			}
		})
	}
}

func TestAJudgementWithoutASpeedLeavesThePlannedOne(t *testing.T) {
	known := &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 12_500, PlannedHashMicrosecondsAtCost8: 12_500}
	o := driven(t, known.DeepCopy())
	HarvestRun(o, Model{Judge: func(verdict.Input) verdict.Judgement { return verdict.Judgement{} }})
	if diff := cmp.Diff(known, o.Trial.Status.Speed); diff != "" {
		t.Errorf("speed (-want +got):\n%s", diff)
	}
}

// The advice for a variant that no rate can make meet its objective follows from the hash time
// at the planned speed.
func TestAVariantWithoutALoadIsJudgedAtThePlannedSpeed(t *testing.T) {
	conclude := func(calibrated, planned int64) string {
		o := driven(t, &v1beta1.TrialSpeed{PlannedHashMicrosecondsAtCost8: planned})
		cal := o.Trial.Status.Calibration
		cal.HashMicroseconds, cal.ReferenceMicroseconds, cal.QuotaMilliCPU = 4*calibrated, calibrated, ptr.To[int64](250)
		o.Trial.Spec.Objective.P95Milliseconds = 80
		o.Trial.Status.Prediction = &v1beta1.Prediction{NoLoadP95Microseconds: 200_000}
		end := ConcludeUnloaded(o)
		if kept := o.Trial.Status.Speed; kept == nil || kept.PlannedHashMicrosecondsAtCost8 != planned {
			t.Errorf("the speed that is kept is %+v, want one that was planned for %d", kept, planned)
		}
		return end.Message
	}
	if got, want := conclude(10_000, 15_000), conclude(15_000, 15_000); got != want || got == conclude(10_000, 10_000) {
		t.Errorf("the message is: %s; at the planned speed it is: %s", got, want)
	}
}

func TestPodsThatAreAddedAfterTheLoadAreNotInTheStatus(t *testing.T) {
	o := driven(t, nil)
	o.Children.ServicePods[0].Spec.NodeName = "measured"
	for range 12 {
		anotherPod(time.Minute)(o)
	}
	HarvestRun(o, Simulation())
	got := o.Trial.Status.Evidence.ServiceNodes
	if diff := cmp.Diff([]string{"measured"}, got); diff != "" {
		t.Errorf("the service's nodes, of which the API accepts ten (-want +got):\n%s", diff)
	}
}
