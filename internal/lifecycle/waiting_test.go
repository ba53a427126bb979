package lifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// Two trials with slow pods would otherwise take the turn from each other for ever.
func TestATrialWaitsLongerIfItsPodsStartedTooLateBefore(t *testing.T) {
	lost := v1beta1.Attempt{EndTime: &metav1.Time{Time: start}, Outcome: v1beta1.OutcomeInterrupted, Reason: v1beta1.ReasonWaitingForTurn}
	other := v1beta1.Attempt{EndTime: &metav1.Time{Time: start}, Outcome: v1beta1.OutcomeBroken, Reason: v1beta1.ReasonImagePull}
	current := v1beta1.Attempt{StartTime: metav1.NewTime(start)}
	for _, tt := range []struct {
		attempts []v1beta1.Attempt
		want     time.Duration
	}{
		{nil, 10 * time.Second},
		{[]v1beta1.Attempt{current}, 10 * time.Second},
		{[]v1beta1.Attempt{other, current}, 10 * time.Second},
		{[]v1beta1.Attempt{lost, current}, 20 * time.Second},
		{[]v1beta1.Attempt{lost, other, lost, lost, current}, 40 * time.Second},
		{[]v1beta1.Attempt{lost, lost, lost, lost, current}, 40 * time.Second},
	} {
		if got := patience(tt.attempts); got != tt.want {
			t.Errorf("after %d attempts it waits for %s, want %s", len(tt.attempts), got, tt.want)
		}
	}
}

func TestATrialWaitsIfItsTurnIsOfNoUseForTenSeconds(t *testing.T) {
	after := func(since time.Duration) func(*Observation) {
		return func(o *Observation) { o.Now = start.Add(since) }
	}
	for _, tt := range []struct {
		name   string
		world  *Observation
		before bool // it waited before
		want   bool
	}{
		{"a pod that has just been created", world(beforeRecord, after(9*time.Second), podState(unschedulable)), false, false},
		{"a pod that can't be scheduled", world(beforeRecord, podState(unschedulable)), false, true},
		{"an image that can't be pulled", world(beforeRecord, podState(imagePull)), false, true},
		{"a pod whose sandbox can't be created", world(beforeRecord, podState(func(s *corev1.PodStatus) { s.Conditions = s.Conditions[:1] })), false, true},
		{"a pod that calibrates", world(beforeRecord, late, calibratesSince(start.Add(2*time.Minute))), true, false},
		{"a Job that is suspended", world(suspendedJob), false, true},
		{"a load that runs", world(), true, false},
		{"a load of others", world(beforeJob, othersLoad), true, false},
		{"objects that are just being deleted", world(ended(v1beta1.OutcomeKept), terminating), false, false},
		{"objects that can't be deleted", world(ended(v1beta1.OutcomeKept), terminating, after(71*time.Second)), false, true},
		{"a new attempt", world(noAttempt), true, false},
		{"a service that is created meanwhile", world(beforeRecord, noTurn, func(o *Observation) { o.Children.Service = nil }), true, true},
		{"pods that can start now", world(beforeRecord, noTurn), true, false},
		{"a Job that was given up, which is tried again later", world(noTurn, suspendedJob), true, true},
		{"a rest until the next turn", world(ended(v1beta1.OutcomeInterrupted), noTurn), true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trial := tt.world.Trial
			if tt.before {
				SetCondition(trial, v1beta1.ConditionWaiting, metav1.ConditionTrue, v1beta1.ReasonUnschedulable, start)
			}
			decision := Decide(tt.world)
			ShowProgress(trial, decision, false, tt.world.Now)
			if got := queue.Waits(trial); got != tt.want {
				t.Errorf("after %s (%s), it waits: %t, want %t", decision.Action, decision.Reason, got, tt.want)
			}
			if c := meta.FindStatusCondition(trial.Status.Conditions, v1beta1.ConditionWaiting); tt.want && (c.Reason == "" || c.LastTransitionTime.IsZero()) {
				t.Errorf("the condition is %+v", c)
			}
		})
	}
}
