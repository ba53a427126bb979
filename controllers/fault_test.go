//go:build integration

package controllers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// fault is something that goes wrong in a trial's first attempt, and how the attempt must end.
type fault struct {
	name string
	// mishap goes wrong without anybody acting.
	mishap mishap
	// at reports whether it is time to call do; nil with a mishap.
	at func(*testCluster) bool
	do func(*testCluster)
	// asleep keeps the operator from making passes from then on until the load has ended.
	asleep bool

	// reason and outcome are how the first attempt must end. An attempt that must survive the
	// fault ends Measured, Kept.
	reason  string
	outcome v1beta1.AttemptOutcome
	// waits means that the attempt is given up only after the start timeout. Until then the
	// trial must report what it waits for.
	waits bool
	// patience is how long the attempt may take; by default the start timeout.
	patience time.Duration
}

// check runs a trial with the fault. In every case the trial must get a result without help,
// in its first or its second attempt.
func (f fault) check(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "fault")
	w.kubelet.mishap = f.mishap
	e := w.create(newExperiment("login", quick, oneVariant), 0)
	if f.at != nil {
		w.run("the fault happens", func() bool { return f.at(w) })
		f.do(w)
	}
	if f.asleep {
		w.sleepThrough()
	}
	reasons := w.watch(e)
	w.reread(e)
	trial := w.trialsOf(e)[0]
	want := []v1beta1.Attempt{{Number: 1, Outcome: f.outcome, Reason: f.reason}}
	if f.outcome != v1beta1.OutcomeKept {
		want = append(want, v1beta1.Attempt{Number: 2, Outcome: v1beta1.OutcomeKept, Reason: v1beta1.ReasonMeasured})
	}
	var got []v1beta1.Attempt
	for _, a := range trial.Status.Attempts {
		got = append(got, v1beta1.Attempt{Number: a.Number, Outcome: a.Outcome, Reason: a.Reason})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the attempts (-want +got):\n%s", diff)
	}
	first := trial.Status.Attempts[0]
	if first.Message == "" {
		t.Error("the first attempt ended without a message")
	}
	f.checkPatience(t, first, reasons)
	if e.Status.Phase != v1beta1.ExperimentSucceeded {
		t.Errorf("the experiment ended %s", e.Status.Phase)
	}
	w.checkNothingLeft()
}

// checkPatience compares the attempt's duration with the start timeout.
func (f fault) checkPatience(t *testing.T, first v1beta1.Attempt, reasons []string) {
	t.Helper()
	took := first.EndTime.Sub(first.StartTime.Time)
	const patience, slack = startTimeout, time.Minute // a generator is waited for after calibration
	switch {
	case f.waits && (took < patience || took > patience+slack):
		t.Errorf("the attempt was given up after %s, not after the start timeout of %s", took, patience)
	case f.waits && !slices.Contains(reasons, f.reason):
		t.Errorf("until the attempt was given up, the trial's reasons were %v and never %s", reasons, f.reason)
	case !f.waits && took > max(patience, f.patience):
		t.Errorf("the attempt took %s to end", took)
	}
}

// watch runs an experiment to its end, and returns the reasons that its first trial had
// meanwhile.
func (w *testCluster) watch(e *v1beta1.SizingExperiment) (reasons []string) {
	w.t.Helper()
	w.run(e.Name+" ends", func() bool {
		reason := w.trialsOf(e)[0].Status.Reason
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		w.reread(e)
		return e.Status.Phase.Finished()
	})
	return reasons
}

// sleepThrough lets the load run to its end without the operator.
func (w *testCluster) sleepThrough() {
	w.t.Helper()
	w.asleep = true
	w.wait(2 * time.Minute)
	w.asleep = false
}

// checkNothingLeft checks that an experiment that ended leaves only itself, its trials and, as long as
// there are any, their deny policy.
func (w *testCluster) checkNothingLeft() {
	w.t.Helper()
	trials := w.trials()
	for _, object := range w.everything() {
		switch object.(type) {
		case *v1beta1.SizingExperiment, *v1beta1.SizingTrial:
			continue
		case *networkingv1.NetworkPolicy:
			if object.GetName() == objects.DenyPolicyName && slices.ContainsFunc(trials, func(t v1beta1.SizingTrial) bool { return t.Namespace == object.GetNamespace() }) {
				continue
			}
		}
		w.t.Errorf("%s %s was left behind", kindOf(object), object.GetName())
	}
}
