package loadplan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// A planned step can be read back from a trial's status, but for the mark of the predicted one.
func TestAPlannedStepCanBeStored(t *testing.T) {
	plan := mustBuild(t, aTrial(), calibrated(), predicting(60))
	trial := v1alpha1.SizingTrial{Spec: aTrial()}
	for _, step := range plan.WithoutWarmup() {
		stored := v1alpha1.Step{
			Kind: v1alpha1.StepKind(step.Kind), Purpose: step.Purpose, Reported: step.Reported, Plan: step.InAPI(),
		}
		if step.OfferedMilliPerSecond > 0 {
			stored.OfferedMilliPerSecond = ptr.To(step.OfferedMilliPerSecond)
		}
		if step.LoadPercent > 0 {
			stored.LoadPercent = ptr.To(step.LoadPercent)
		}
		step.Predicted = false
		if diff := cmp.Diff(step, FromAPI(stored)); diff != "" {
			t.Errorf("step (-planned +stored):\n%s", diff)
		}
		trial.Status.Steps = append(trial.Status.Steps, stored)
	}
	trial.Status.Steps = append(trial.Status.Steps, v1alpha1.Step{Kind: v1alpha1.StepOpen, Outcome: v1alpha1.StepNotRun})
	ran := Ran(&trial)
	if Duration(ran) != Duration(plan) || len(ran.Steps) != len(plan.WithoutWarmup()) || ran.TimeoutMilliseconds != plan.TimeoutMilliseconds {
		t.Errorf("the stored plan takes %s in %d steps, the plan %s in %d", Duration(ran), len(ran.Steps), Duration(plan), len(plan.WithoutWarmup()))
	}
	if reported := ReportedStep(&trial.Status); reported == nil || *reported.LoadPercent != ReportedLoadPercent {
		t.Errorf("the reported step is %+v", reported)
	}
}
