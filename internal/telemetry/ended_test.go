package telemetry_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

func TestAnAttemptEndsOnce(t *testing.T) {
	going := v1beta1.Attempt{Number: 2, StartTime: *at(0)}
	over := v1beta1.Attempt{Number: 2, StartTime: *at(0), EndTime: at(time.Minute), Outcome: v1beta1.OutcomeBroken, Reason: "JobDeleted"}
	unexplained := over
	unexplained.Reason = ""
	first := v1beta1.Attempt{Number: 1, EndTime: at(0), Outcome: v1beta1.OutcomeInterrupted, Reason: "Suspended"}
	for name, tt := range map[string]struct {
		before, after []v1beta1.Attempt
		want          string
	}{
		"when it has an end and had none": {[]v1beta1.Attempt{first, going}, []v1beta1.Attempt{first, over}, "JobDeleted"},
		"for no reason that was given":    {[]v1beta1.Attempt{going}, []v1beta1.Attempt{unexplained}, "None"},
		"not while it goes on":            {[]v1beta1.Attempt{first, going}, []v1beta1.Attempt{first, going}, ""},
		"not when it begins":              {[]v1beta1.Attempt{first}, []v1beta1.Attempt{first, going}, ""},
		"not in the pass after":           {[]v1beta1.Attempt{first, over}, []v1beta1.Attempt{first, over}, ""},
		"not before the first":            {nil, []v1beta1.Attempt{going}, ""},
	} {
		ended, did := telemetry.JustEnded(
			&v1beta1.SizingTrialStatus{Attempts: tt.before}, &v1beta1.SizingTrialStatus{Attempts: tt.after})
		if did != (tt.want != "") || ended.Reason != tt.want {
			t.Errorf("%s: ended %t, reason %q, want %q", name, did, ended.Reason, tt.want)
		}
	}
}

func TestATrialIsReleasedOnce(t *testing.T) {
	var waits, over v1beta1.SizingTrial
	ended(&over, v1beta1.TrialSucceeded, "Measured")
	if !telemetry.JustReleased(&waits, &over) || telemetry.JustReleased(&over, &over) || telemetry.JustReleased(&waits, &waits) {
		t.Error("a trial is released when it was not before, and only then")
	}
}

func TestEveryStageOfAKeptAttemptIsTold(t *testing.T) {
	s := func(seconds int) time.Duration { return time.Duration(seconds) * time.Second }
	trial := &v1beta1.SizingTrial{Status: v1beta1.SizingTrialStatus{
		CompletionTime: at(s(100)),
		Steps:          []v1beta1.Step{{Plan: &v1beta1.StepPlan{StartMilliseconds: 5_000, CountedMilliseconds: 55_000}}},
		Attempts: []v1beta1.Attempt{{Number: 1, Outcome: v1beta1.OutcomeBroken, StartTime: *at(s(-50)), EndTime: at(s(-1))}, {
			Number: 2, Outcome: v1beta1.OutcomeKept, StartTime: *at(0),
			CalibrationStartTime: at(s(1)), CalibrationEndTime: at(s(8)), LoadStartTime: at(s(10)),
			// The node's clock is two seconds behind the operator's.
			GeneratorStartTime: at(s(9)), GeneratorEndTime: at(s(73)), EndTime: at(s(78)),
		}},
	}}
	want := []telemetry.StageTime{
		{Stage: telemetry.StageDeploying, Took: s(1)}, {Stage: telemetry.StageCalibrating, Took: s(7)},
		{Stage: telemetry.StagePreparing, Took: s(2)}, {Stage: telemetry.StageStarting, Took: 0},
		{Stage: telemetry.StageLoading, Took: s(60)}, {Stage: telemetry.StageDriving, Took: s(4)},
		{Stage: telemetry.StageJudging, Took: s(5)}, {Stage: telemetry.StageRemoving, Took: s(22)},
	}
	if diff := cmp.Diff(want, telemetry.StagesOf(trial)); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	for name, change := range map[string]func(*v1beta1.SizingTrialStatus){
		"a trial without attempts":    func(s *v1beta1.SizingTrialStatus) { s.Attempts = nil },
		"a trial that runs":           func(s *v1beta1.SizingTrialStatus) { s.CompletionTime = nil },
		"an attempt without load":     func(s *v1beta1.SizingTrialStatus) { s.Attempts[1].LoadStartTime = nil },
		"an unknown generator":        func(s *v1beta1.SizingTrialStatus) { s.Attempts[1].GeneratorEndTime = nil },
		"an attempt without a result": func(s *v1beta1.SizingTrialStatus) { s.Attempts[1].Outcome = v1beta1.OutcomeBroken },
	} {
		changed := trial.DeepCopy()
		change(&changed.Status)
		if stages := telemetry.StagesOf(changed); stages != nil {
			t.Errorf("%s has the stages %v", name, stages)
		}
	}
}
