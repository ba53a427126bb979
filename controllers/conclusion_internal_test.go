package controllers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// countingClock counts the conclusions, each of which it makes take 20 seconds.
type countingClock struct {
	clock.PassiveClock
	conclusions int
}

func (c *countingClock) Since(time.Time) time.Duration {
	c.conclusions++
	return 20 * time.Second
}

// concluding is an experiment whose trials have all ended, with the reconciler that concludes it.
type concluding struct {
	experiment *v1beta1.SizingExperiment
	trial      *v1beta1.SizingTrial
	client     client.WithWatch
	clock      *countingClock
	reconciler *ExperimentReconciler
}

// newConcluding calls edit before each write of the status.
func newConcluding(t *testing.T, edit func(c client.WithWatch)) *concluding {
	t.Helper()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	w := &concluding{clock: &countingClock{PassiveClock: clocktesting.NewFakePassiveClock(now)}}
	w.experiment, w.trial = endedExperiment(t, now)
	w.client = asAPIServer(serving(w.experiment, w.trial).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
				edit(w.client)
				return c.SubResource(sub).Patch(ctx, o, patch, opts...)
			},
		}).Build())
	w.reconciler = &ExperimentReconciler{Client: w.client, Live: w.client, Queue: &Queue{}, Events: events.NewFakeRecorder(99), Clock: w.clock}
	return w
}

// endedExperiment returns an experiment and its only trial, which was released without a result.
func endedExperiment(t *testing.T, now time.Time) (*v1beta1.SizingExperiment, *v1beta1.SizingTrial) {
	t.Helper()
	experiment := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: "a"},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:  v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1")},
			Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse("128Mi"))}, Repetitions: ptr.To[int32](1),
			Load: v1beta1.Load{RequestTimeoutSeconds: 10, WarmupSeconds: ptr.To[int32](5)},
		},
	}
	planned, err := matrix.Plan(experiment, matrix.Seed(experiment))
	if err != nil {
		t.Fatal(err)
	}
	trial := (&experimentPass{ExperimentReconciler: &ExperimentReconciler{}, experiment: experiment}).newTrial(planned[0])
	lifecycle.ReleaseTrial(trial, now, true)
	experiment.Status.StartTime = &metav1.Time{Time: now}
	return experiment, trial
}

// pass makes one pass.
func (w *concluding) pass(t *testing.T) ctrl.Result {
	t.Helper()
	again, err := w.reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.experiment)})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// edit changes the experiment as a user does.
func (w *concluding) edit(t *testing.T, c client.Client, change func(*v1beta1.SizingExperiment)) {
	t.Helper()
	e := read(t, c, w.experiment)
	change(e)
	if err := c.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

// TestAConclusionIsWrittenAlthoughItsExperimentIsEdited edits the experiment after each conclusion.
func TestAConclusionIsWrittenAlthoughItsExperimentIsEdited(t *testing.T) {
	edits := 0
	var w *concluding
	w = newConcluding(t, func(c client.WithWatch) {
		if edits++; edits == 1 {
			w.edit(t, c, func(e *v1beta1.SizingExperiment) {
				e.Spec.TTLSecondsAfterFinished, e.Spec.Suspend = ptr.To[int32](100_000), ptr.To(true)
			})
		}
	})
	if again := w.pass(t); again != (ctrl.Result{}) {
		t.Errorf("the pass is repeated: %+v", again)
	}
	e := read(t, w.client, w.experiment)
	if !e.Status.Phase.Finished() || edits != 2 || w.clock.conclusions != 1 {
		t.Errorf("after %d writes and %d conclusions the experiment is %q", edits, w.clock.conclusions, e.Status.Phase)
	}
}

// TestAConclusionIsComputedOnce edits the experiment before each write, so often that no pass can write
// anything, and ends that after ten passes.
func TestAConclusionIsComputedOnce(t *testing.T) {
	edits, edited := 0, true
	var w *concluding
	w = newConcluding(t, func(c client.WithWatch) {
		if edits++; edited {
			w.edit(t, c, func(e *v1beta1.SizingExperiment) { e.Spec.TTLSecondsAfterFinished = ptr.To(int32(100_000 + edits)) })
		}
	})
	for range 10 {
		if again := w.pass(t); again.RequeueAfter != staleAgain {
			t.Fatalf("the pass is not repeated: %+v", again)
		}
	}
	edited = false
	w.pass(t)
	e := read(t, w.client, w.experiment)
	if !e.Status.Phase.Finished() || w.clock.conclusions != 1 {
		t.Errorf("after %d conclusions the experiment is %q", w.clock.conclusions, e.Status.Phase)
	}
	recorder, slow := w.reconciler.Events.(*events.FakeRecorder), 0
	for range len(recorder.Events) {
		if strings.Contains(<-recorder.Events, v1beta1.ReasonSlowConclusion) {
			slow++
		}
	}
	if slow != 1 {
		t.Errorf("%d events say that the conclusion took long, want 1", slow)
	}
	w.pass(t)
	if n := len(w.reconciler.conclusions.kept) + len(w.reconciler.checks.kept); n > 0 {
		t.Errorf("%d values of an experiment that has ended are kept", n)
	}
}

// TestAConclusionIsComputedAgainForOtherTrials changes what a conclusion depends on, after it has been computed.
func TestAConclusionIsComputedAgainForOtherTrials(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*testing.T, *concluding, client.Client)
		phase  v1beta1.ExperimentPhase
		want   int
	}{
		"a trial": {func(t *testing.T, w *concluding, c client.Client) {
			trial := read(t, c, w.trial)
			trial.Status.Message = "another"
			if err := c.Status().Update(t.Context(), trial); err != nil {
				t.Fatal(err)
			}
			e := read(t, c, w.experiment)
			e.Status.Seed = ptr.To[int64](7)
			if err := c.Status().Update(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}, v1beta1.ExperimentFailed, 2},
		"a cancellation, which is not lost": {func(t *testing.T, w *concluding, c client.Client) {
			w.edit(t, c, func(e *v1beta1.SizingExperiment) { e.Spec.Cancel = ptr.To(true) })
		}, v1beta1.ExperimentCancelled, 1},
	} {
		t.Run(name, func(t *testing.T) {
			changed := false
			var w *concluding
			w = newConcluding(t, func(c client.WithWatch) {
				if !changed {
					changed = true
					tt.change(t, w, c)
				}
			})
			w.pass(t)
			w.pass(t)
			if e := read(t, w.client, w.experiment); e.Status.Phase != tt.phase || w.clock.conclusions != tt.want {
				t.Errorf("after %d conclusions the experiment is %q, want %d and %q", w.clock.conclusions, e.Status.Phase, tt.want, tt.phase)
			}
		})
	}
}

func TestOnlyRecentValuesAreKept(t *testing.T) {
	var kept recent[string]
	computed := 0
	get := func(uid types.UID, from string) string {
		return kept.of(uid, from, 3, func() string {
			computed++
			return string(uid) + from
		})
	}
	for i := range 10 {
		uid := types.UID(fmt.Sprint(i))
		if first, again, changed := get(uid, "a"), get(uid, "a"), get(uid, "b"); first != string(uid)+"a" || again != first || !strings.HasSuffix(changed, "b") {
			t.Errorf("got %s, %s and %s", first, again, changed)
		}
	}
	if len(kept.kept) != 3 || computed != 20 {
		t.Errorf("%d values are kept, and %d were computed; want 3 and 20", len(kept.kept), computed)
	}
}
