//go:build integration

package controllers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// fault is something that goes wrong in a trial's first attempt, and what must
// come of it.
type fault struct {
	name string
	// mishap goes wrong by itself.
	mishap mishap
	// at is the moment at which somebody does something; absent with a mishap.
	at func(*world) bool
	do func(*world)
	// asleep lets the operator see nothing from then on until the load is over.
	asleep bool

	// reason and outcome are how the first attempt must end. An attempt that must
	// survive the fault ends Measured, Kept.
	reason  string
	outcome v1alpha1.AttemptOutcome
	// waits lets the attempt only be given up once the start timeout is over; until
	// then the trial must say what it waits for.
	waits bool
	// patience is how long the attempt may take; by default the start timeout.
	patience time.Duration
}

// check plays the fault. Whatever it does, the trial must come to a result
// without anybody's help: in the first attempt or in the second.
func (f fault) check(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "fault")
	w.kubelet.mishap = f.mishap
	e := w.ask(question("login", quick, oneVariant), 0)
	if f.at != nil {
		w.run("the moment of the fault comes", func() bool { return f.at(w) })
		f.do(w)
	}
	if f.asleep {
		w.sleepThrough()
	}
	said := w.watch(e)
	w.reread(e)
	trial := w.trialsOf(e)[0]
	want := []v1alpha1.Attempt{{Number: 1, Outcome: f.outcome, Reason: f.reason}}
	if f.outcome != v1alpha1.OutcomeKept {
		want = append(want, v1alpha1.Attempt{Number: 2, Outcome: v1alpha1.OutcomeKept, Reason: v1alpha1.ReasonMeasured})
	}
	var got []v1alpha1.Attempt
	for _, a := range trial.Status.Attempts {
		got = append(got, v1alpha1.Attempt{Number: a.Number, Outcome: a.Outcome, Reason: a.Reason})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the attempts (-want +got):\n%s", diff)
	}
	first := trial.Status.Attempts[0]
	if first.Message == "" {
		t.Error("the first attempt ended without a sentence that says why")
	}
	f.checkPatience(t, first, said)
	if e.Status.Phase != v1alpha1.ExperimentSucceeded {
		t.Errorf("the experiment ended %s", e.Status.Phase)
	}
	w.checkNothingLeft()
}

// checkPatience holds the attempt's length against the start timeout.
func (f fault) checkPatience(t *testing.T, first v1alpha1.Attempt, said []string) {
	t.Helper()
	took := first.EndTime.Sub(first.StartTime.Time)
	const patience, slack = startTimeout, time.Minute // a generator is waited for after calibration
	switch {
	case f.waits && (took < patience || took > patience+slack):
		t.Errorf("the attempt was given up after %s, not after the start timeout of %s", took, patience)
	case f.waits && !slices.Contains(said, f.reason):
		t.Errorf("until the attempt was given up, the trial said %v and never %s", said, f.reason)
	case !f.waits && took > max(patience, f.patience):
		t.Errorf("the attempt took %s to end", took)
	}
}

// watch lets an experiment come to its end, and gathers the reasons that its
// first trial gave meanwhile.
func (w *world) watch(e *v1alpha1.SizingExperiment) (said []string) {
	w.t.Helper()
	w.run(e.Name+" ends", func() bool {
		reason := w.trialsOf(e)[0].Status.Reason
		if !slices.Contains(said, reason) {
			said = append(said, reason)
		}
		w.reread(e)
		return e.Status.Phase.Finished()
	})
	return said
}

// sleepThrough lets the world go on without the operator until the load is over.
func (w *world) sleepThrough() {
	w.t.Helper()
	w.asleep = true
	w.wait(2 * time.Minute)
	w.asleep = false
}

// checkNothingLeft holds that an experiment that ended leaves nothing behind
// but itself and its trials.
func (w *world) checkNothingLeft() {
	w.t.Helper()
	for _, object := range w.everything() {
		switch object.(type) {
		case *v1alpha1.SizingExperiment, *v1alpha1.SizingTrial:
		default:
			w.t.Errorf("%s %s was left behind", kindOf(object), object.GetName())
		}
	}
}
