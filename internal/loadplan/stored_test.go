package loadplan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// A planned step can be read back from a trial's status, but for the mark of the predicted one.
func TestAPlanCanBeStored(t *testing.T) {
	plan := mustBuild(t, aTrial(), calibrated(), predicting(60))
	plan.NotRun = []NotRun{{LoadPercent: 20, OfferedMilliPerSecond: 100, Message: "too few logins"}}
	trial := v1beta1.SizingTrial{Spec: aTrial(), Status: v1beta1.SizingTrialStatus{Steps: plan.InAPI()}}
	for i, step := range plan.WithoutWarmup() {
		stored := trial.Status.Steps[i]
		step.Predicted = false
		if diff := cmp.Diff(step, FromAPI(stored)); diff != "" {
			t.Errorf("step (-planned +stored):\n%s", diff)
		}
		if stored.Outcome != v1beta1.StepPlanned || stored.Ran() {
			t.Errorf("before its result is read, step %d is %s", i, stored.Outcome)
		}
	}
	want := v1beta1.Step{
		Kind: v1beta1.StepOpen, Purpose: v1beta1.PurposeCapacity, Outcome: v1beta1.StepNotRun, Message: "too few logins",
		PlannedLoadPerMille: ptr.To[int64](200), OfferedMilliPerSecond: ptr.To[int64](100),
	}
	left := trial.Status.Steps[len(trial.Status.Steps)-1]
	if diff := cmp.Diff(want, left); diff != "" || left.Ran() {
		t.Errorf("step that is not run (-want +stored):\n%s", diff)
	}
	ran := Ran(&trial)
	if Duration(ran) != Duration(plan) || len(ran.Steps) != len(plan.WithoutWarmup()) || ran.TimeoutMilliseconds != plan.TimeoutMilliseconds {
		t.Errorf("the stored plan takes %s in %d steps, the plan %s in %d", Duration(ran), len(ran.Steps), Duration(plan), len(plan.WithoutWarmup()))
	}
	if reported := ReportedStep(&trial.Status); reported == nil || *reported.PlannedLoadPerMille != 10*ReportedLoadPercent {
		t.Errorf("the reported step is %+v", reported)
	}
}
