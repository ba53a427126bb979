//go:build integration

package controllers_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func suspend(s *v1alpha1.SizingExperimentSpec) { s.Suspend = true }

func cancel(s *v1alpha1.SizingExperimentSpec) { s.Cancel = true }

func TestASuspendedExperimentHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "turns")
	first, second := w.ask(question("first", quick, suspend), 0), w.ask(question("second", quick, oneVariant), 0)
	w.toEnd(second)
	w.reread(first)
	if first.Status.Phase != v1alpha1.ExperimentSuspended || len(first.Status.Results) != 2 {
		t.Errorf("the suspended experiment is %s with %d rows", first.Status.Phase, len(first.Status.Results))
	}
	w.edit(first, "resumes first", func(s *v1alpha1.SizingExperimentSpec) { s.Suspend = false })
	w.toEnd(first)
	w.checkEnd(first, v1alpha1.ExperimentSucceeded, v1alpha1.ReasonAllMeasured)
}

// TestALoadIsTakenAwayBeforeTheNextBegins suspends one experiment in mid-load
// while another waits: that one's turn comes only when nothing is left of the
// first one's load.
func TestALoadIsTakenAwayBeforeTheNextBegins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "turns")
	first := w.ask(question("first", quick, oneVariant), 0)
	w.run("its load goes on", func() bool { return loaded(w) })
	second := w.ask(question("second", quick, oneVariant), 0)
	w.edit(first, "suspends first", suspend)
	began := w.now()
	w.run("the second begins", func() bool {
		trials := w.trialsOf(second)
		return len(trials) > 0 && !trials[0].Spec.Suspend
	})
	for _, object := range w.everything() {
		if _, account := object.(*corev1.ServiceAccount); !account && object.GetLabels()[v1alpha1.LabelTrialUID] == string(w.trialsOf(first)[0].UID) {
			t.Errorf("%s %s of the first is still there when the second begins", kindOf(object), object.GetName())
		}
	}
	if took := w.now().Sub(began); took > 15*time.Second {
		t.Errorf("it took %s to take the load away", took)
	}
	w.toEnd(second)
	w.edit(first, "cancels first", cancel)
	w.toEnd(first)
	w.checkEnd(first, v1alpha1.ExperimentCancelled, v1alpha1.ReasonCancelled)
	w.checkAttempts(first, "Interrupted Suspended")
}

func TestAnExperimentMayBeCancelledBeforeItsTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "turns")
	first, second := w.ask(question("first", quick, oneVariant), 0), w.ask(question("second", quick, oneVariant), 0)
	w.run("the first one's load goes on", func() bool { return loaded(w) })
	w.edit(second, "cancels second", cancel)
	w.toEnd(second)
	w.checkAttempts(second)
	if !loaded(w) {
		t.Error("the first experiment's load did not go on")
	}
	w.toEnd(first)
	w.checkEnd(second, v1alpha1.ExperimentCancelled, v1alpha1.ReasonCancelled)
}

func TestTwoTrialsRunAtOnceWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "turns")
	w.limit = 2
	w.startOperator()
	e := w.ask(question("login", quick, func(s *v1alpha1.SizingExperimentSpec) { s.Parallelism = 2 }), 0)
	w.run("both loads go on", func() bool { return w.underLoad("c6-500m") && w.underLoad("c7-500m") })
	w.toEnd(e)
	w.checkEnd(e, v1alpha1.ExperimentSucceeded, v1alpha1.ReasonAllMeasured)
}

// TestALoadWaitsForAGeneratorThatNobodyKnows holds the last guard against two
// loads at once: a generator whose trial is long gone still drives.
func TestALoadWaitsForAGeneratorThatNobodyKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "turns")
	e := w.ask(question("login", quick, oneVariant), 0)
	w.run("the service is calibrated", func() bool { return calibrates(w) })
	forgotten := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "forgotten", Labels: map[string]string{
			v1alpha1.LabelComponent: v1alpha1.ComponentGenerator, v1alpha1.LabelTrialUID: "of-a-trial-that-is-gone", v1alpha1.LabelExperiment: "gone",
		}},
		Spec: podTemplate(corev1.RestartPolicyNever).Spec,
	}
	w.make(forgotten)
	w.run("the trial waits for it", func() bool { return w.trialsOf(e)[0].Status.Reason == v1alpha1.ReasonWaitingForOthers })
	w.wait(time.Minute)
	if w.creates["Job"] > 0 {
		t.Fatal("a load began beside another")
	}
	w.must("ending it", w.client.Delete(w.ctx, forgotten))
	w.toEnd(e)
	w.checkAttempts(e, "Kept Measured")
}

func TestADeletedExperimentLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		// lazy lets the garbage collector forget the trials, so that they must see to
		// themselves.
		lazy bool
	}{
		{"the garbage collector takes everything away", false},
		{"a trial that outlives its experiment takes its own load away", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "deleted")
			w.kubelet.forgetsTrials = tt.lazy
			e := w.ask(question("login", quick), 0)
			w.run("its load goes on", func() bool { return loaded(w) })
			w.must("deleting", w.client.Delete(w.ctx, e))
			w.wait(10 * time.Second)
			for _, object := range w.everything() {
				trial, is := object.(*v1alpha1.SizingTrial)
				if !is || !tt.lazy {
					t.Errorf("%s %s is left", kindOf(object), object.GetName())
				}
				if is && (trial.Status.Phase != v1alpha1.TrialFailed || trial.Status.Reason != v1alpha1.ReasonExperimentGone) {
					t.Errorf("an orphaned trial is %s, %s", trial.Status.Phase, trial.Status.Reason)
				}
			}
			w.checkPeace()
		})
	}
}
