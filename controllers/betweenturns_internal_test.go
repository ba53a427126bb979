package controllers

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// Trials of different experiments take turns, so that most experiments that have begun wait.
func TestAnExperimentBetweenItsTurnsIsNotWritten(t *testing.T) {
	experiment := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: "a"},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:  v1beta1.Matrix{Costs: []int32{10, 11}, CPULimits: fixture.Limits("1")},
			Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse("128Mi"))}, Repetitions: ptr.To[int32](1),
			Load: v1beta1.Load{RequestTimeoutSeconds: 10, WarmupSeconds: ptr.To[int32](5)},
		},
	}
	c := serving(experiment).WithStatusSubresource(&v1beta1.SizingTrial{}).Build()
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))
	r := &ExperimentReconciler{Client: c, Live: c, Queue: &Queue{}, Events: events.NewFakeRecorder(9), Clock: clock}
	r.Queue.set(nil, map[types.UID]int32{experiment.UID: 1}) // its turn is near
	pass := func() time.Duration {
		result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(experiment)})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(experiment), experiment); err != nil {
			t.Fatal(err)
		}
		return result.RequeueAfter
	}
	first := func() *v1beta1.SizingTrial {
		trials := &v1beta1.SizingTrialList{}
		if err := c.List(t.Context(), trials); err != nil || len(trials.Items) != 2 {
			t.Fatalf("%d trials exist, error %v; want 2", len(trials.Items), err)
		}
		return &trials.Items[0]
	}

	pass()
	running := first()
	running.Spec.Suspend = false
	if err := c.Update(t.Context(), running); err != nil {
		t.Fatal(err)
	}
	version := experiment.ResourceVersion
	if pass(); experiment.ResourceVersion != version {
		t.Errorf("when its trial got its turn, and did nothing yet, the status was written: %+v", experiment.Status.Progress)
	}
	running.Status.Message = "Creating and calibrating the login service"
	if err := c.Status().Update(t.Context(), running); err != nil {
		t.Fatal(err)
	}
	if again := pass(); again != refresh || experiment.Status.Progress.EstimatedEndTime == nil {
		t.Errorf("while its trial runs, the progress is %+v, and the next look is in %s", experiment.Status.Progress, again)
	}
	ended := first()
	ended.Status.StartTime, ended.Status.CompletionTime = &metav1.Time{Time: clock.Now()}, &metav1.Time{Time: clock.Now().Add(time.Minute)}
	meta.SetStatusCondition(&ended.Status.Conditions, metav1.Condition{Type: v1beta1.ConditionReleased, Status: metav1.ConditionTrue, Reason: "Kept"})
	if err := c.Status().Update(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	clock.SetTime(clock.Now().Add(time.Minute))
	if again := pass(); again != waitingRefresh {
		t.Errorf("between its turns the next look is in %s, want %s", again, waitingRefresh)
	}
	version = experiment.ResourceVersion
	clock.SetTime(clock.Now().Add(time.Minute))
	if pass(); experiment.ResourceVersion != version {
		t.Errorf("a minute later the status was written again: %+v", experiment.Status.Progress)
	}
}
