package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// An edit before the first trial begins takes turns back, and its acceptance gives them again.
func TestTurnsAreComputedAfterAnEditAndItsAcceptance(t *testing.T) {
	planned := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Status: v1beta1.SizingExperimentStatus{ObservedGeneration: 1}}
	edited, begun := planned.DeepCopy(), planned.DeepCopy()
	edited.Generation = 2
	begun.Status.StartTime = &metav1.Time{Time: time.Unix(1, 0)}
	resumed := begun.DeepCopy()
	resumed.Generation = 3
	for _, test := range []struct {
		name          string
		before, after *v1beta1.SizingExperiment
		want          bool
	}{
		{"an edit", planned, edited, true},
		{"its acceptance", edited, planned, true},
		{"the beginning", planned, begun, false},
		{"an edit of what can always change", begun, resumed, false},
	} {
		if got := experimentTurns.Update(event.UpdateEvent{ObjectOld: test.before, ObjectNew: test.after}); got != test.want {
			t.Errorf("after %s turns are computed: %t, want %t", test.name, got, test.want)
		}
	}
}

// An experiment's status is written dozens of times per trial. Reconciling its trials each time costs
// CPU time that may be needed for a load.
func TestTrialsAreReconciledOnlyAfterChangesThatTheyReactTo(t *testing.T) {
	tests := []struct {
		name   string
		change func(*v1beta1.SizingExperiment)
		want   bool
	}{
		{"its spec or its deletion", func(e *v1beta1.SizingExperiment) { e.Generation++ }, true},
		{"its first trial began", func(e *v1beta1.SizingExperiment) { e.Status.StartTime = &metav1.Time{Time: time.Unix(1, 0)} }, true},
		{"a verification is planned", func(e *v1beta1.SizingExperiment) {
			e.Status.Verifications = append(e.Status.Verifications, v1beta1.Verification{TrialName: "login-verify-1"})
		}, true},
		{"a verification is given up", func(e *v1beta1.SizingExperiment) {
			e.Status.Verifications = []v1beta1.Verification{{TrialName: "login-verify-0", Outcome: v1beta1.VerificationNotRun}}
		}, true},
		{"its position", func(e *v1beta1.SizingExperiment) { e.Status.Progress.QueuePosition = ptr.To[int32](2) }, false},
		{"its rows", func(e *v1beta1.SizingExperiment) { e.Status.Results = []v1beta1.VariantResult{{}} }, false},
		{"its speed", func(e *v1beta1.SizingExperiment) { e.Status.Speed = []v1beta1.PoolSpeed{{}} }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := &v1beta1.SizingExperiment{Status: v1beta1.SizingExperimentStatus{
				Progress:      &v1beta1.Progress{QueuePosition: ptr.To[int32](3)},
				Verifications: []v1beta1.Verification{{TrialName: "login-verify-0"}},
			}}
			after := before.DeepCopy()
			test.change(after)
			if got := experimentTrials.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != test.want {
				t.Errorf("its trials are reconciled: %t, want %t", got, test.want)
			}
		})
	}
	if !experimentTrials.Delete(event.DeleteEvent{}) {
		t.Error("trials are not reconciled after their experiment is deleted")
	}
}
