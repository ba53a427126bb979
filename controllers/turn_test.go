//go:build integration

package controllers_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

func suspend(s *v1beta1.SizingExperimentSpec) { s.Suspend = ptr.To(true) }

func resume(s *v1beta1.SizingExperimentSpec) { s.Suspend = ptr.To(false) }

func cancel(s *v1beta1.SizingExperimentSpec) { s.Cancel = ptr.To(true) }

func TestASuspendedExperimentDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "turns")
	first, second := w.create(newExperiment("first", quick, suspend), 0), w.create(newExperiment("second", quick, oneVariant), 0)
	w.toEnd(second)
	w.reread(first)
	if first.Status.Phase != v1beta1.ExperimentSuspended || len(first.Status.Results) != 2 {
		t.Errorf("the suspended experiment is %s with %d rows", first.Status.Phase, len(first.Status.Results))
	}
	w.edit(first, "resumes first", resume)
	w.toEnd(first)
	w.checkEnd(first, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
}

// TestALoadIsTakenAwayBeforeTheNextBegins suspends one experiment under load while another
// waits. The other's turn comes only after all objects of the first one's load are deleted.
func TestALoadIsTakenAwayBeforeTheNextBegins(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "turns")
	first := w.create(newExperiment("first", quick, oneVariant), 0)
	w.run("its load is running", func() bool { return loaded(w) })
	second := w.create(newExperiment("second", quick, oneVariant), 0)
	w.edit(first, "suspends first", suspend)
	began := w.now()
	w.run("the second begins", func() bool {
		trials := w.trialsOf(second)
		return len(trials) > 0 && !trials[0].Spec.Suspend
	})
	for _, object := range w.everything() {
		if _, account := object.(*corev1.ServiceAccount); !account && object.GetLabels()[v1beta1.LabelTrialUID] == string(w.trialsOf(first)[0].UID) {
			t.Errorf("%s %s of the first is still there when the second begins", kindOf(object), object.GetName())
		}
	}
	if took := w.now().Sub(began); took > 15*time.Second {
		t.Errorf("it took %s to delete the load", took)
	}
	w.toEnd(second)
	w.edit(first, "cancels first", cancel)
	w.toEnd(first)
	w.checkEnd(first, v1beta1.ExperimentCancelled, v1beta1.ReasonCancelled)
	w.checkAttempts(first, "Interrupted Suspended")
}

func TestAnExperimentMayBeCancelledBeforeItsTurn(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "turns")
	first, second := w.create(newExperiment("first", quick, oneVariant), 0), w.create(newExperiment("second", quick, oneVariant), 0)
	w.run("the first one's load is running", func() bool { return loaded(w) })
	w.edit(second, "cancels second", cancel)
	w.toEnd(second)
	w.checkAttempts(second)
	if !loaded(w) {
		t.Error("the first experiment's load was stopped")
	}
	w.toEnd(first)
	w.checkEnd(second, v1beta1.ExperimentCancelled, v1beta1.ReasonCancelled)
}

func TestTwoTrialsRunAtOnceWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "turns")
	w.limit = 2
	w.startOperator()
	e := w.create(newExperiment("login", quick, func(s *v1beta1.SizingExperimentSpec) { s.Parallelism = ptr.To[int32](2) }), 0)
	w.run("both loads are running", func() bool { return w.underLoad("c6-500m") && w.underLoad("c7-500m") })
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
}

func TestADeletedExperimentLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		// lazy makes the garbage collector ignore the trials, so that they must end
		// themselves.
		lazy bool
	}{
		{"the garbage collector deletes everything", false},
		{"a trial that outlives its experiment deletes its own load", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "deleted")
			w.kubelet.forgetsTrials = tt.lazy
			e := w.create(newExperiment("login", quick), 0)
			w.run("its load is running", func() bool { return loaded(w) })
			w.must("deleting", w.client.Delete(w.ctx, e))
			w.wait(10 * time.Second)
			for _, object := range w.everything() {
				trial, is := object.(*v1beta1.SizingTrial)
				stays := is || object.GetName() == objects.DenyPolicyName // which stays as long as a trial does
				if !stays || !tt.lazy {
					t.Errorf("%s %s is left", kindOf(object), object.GetName())
				}
				if is && (trial.Status.Phase != v1beta1.TrialFailed || trial.Status.Reason != v1beta1.ReasonExperimentGone) {
					t.Errorf("an orphaned trial is %s, %s", trial.Status.Phase, trial.Status.Reason)
				}
			}
			w.kubelet.forgetsTrials = false
			w.wait(time.Minute)
			w.checkNothingLeft()
			w.checkPeace()
		})
	}
}
