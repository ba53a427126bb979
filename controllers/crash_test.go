//go:build integration

package controllers_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// TestAnOperatorKilledAtAnyWriteLosesNothing runs one experiment, which measures a variant and
// verifies its recommendation, again and again. Each time it kills the operator at another of
// its writes: once before the write reaches the API server, and once after it is done and
// before the response arrives. A new process continues. The outcome must always be that of an
// experiment that was not disturbed.
func TestAnOperatorKilledAtAnyWriteLosesNothing(t *testing.T) {
	t.Parallel()
	killedAtEachWrite(t, quick, demanding, func(spec *v1alpha1.SizingExperimentSpec) { spec.Matrix.Costs = []int32{6} })
}

// TestAnOperatorKilledAtAnyWriteLosesNoResultWithoutLoad does the same with a
// variant that is not loaded.
func TestAnOperatorKilledAtAnyWriteLosesNoResultWithoutLoad(t *testing.T) {
	t.Parallel()
	killedAtEachWrite(t, infeasibleAtCost12, func(spec *v1alpha1.SizingExperimentSpec) { spec.Matrix.Costs = []int32{12} })
}

func killedAtEachWrite(t *testing.T, changes ...func(*v1alpha1.SizingExperimentSpec)) {
	t.Helper()
	undisturbed := newTestCluster(t, "crash")
	want := undisturbed.outcome(undisturbed.create(newExperiment("login", changes...), 0))
	for write := 1; write <= undisturbed.writes; write++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d, after it was done: %t", write, after), func(t *testing.T) {
				t.Parallel()
				w := newTestCluster(t, "crash")
				w.crash = crash{atWrite: write, after: after}
				got := w.outcome(w.create(newExperiment("login", changes...), 0))
				if w.writes < write {
					t.Fatalf("the experiment ended after %d writes, before the operator could be killed", w.writes)
				}
				w.checkCounted(map[bool]int{false: 0, true: 1}[after])
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the outcome of the experiment, undisturbed and disturbed (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// outcome holds what must not depend on when an operator was killed.
type outcome struct {
	Phase  v1alpha1.ExperimentPhase
	Answer v1alpha1.SizingExperimentStatus
	// Verified lists what was verified.
	Verified []string
	// Trials holds each trial's phase and attempts.
	Trials map[string][]string
	// Creates counts all objects that were created, by kind.
	Creates map[string]int
	// Left counts the objects that are left at the end, by kind.
	Left map[string]int
}

// outcome runs an experiment to its end and returns its outcome.
func (w *testCluster) outcome(e *v1alpha1.SizingExperiment) outcome {
	w.t.Helper()
	w.toEnd(e)
	o := outcome{
		Phase: e.Status.Phase, Answer: answerOf(e), Verified: verifications(e), Creates: w.creates,
		Trials: map[string][]string{}, Left: map[string]int{},
	}
	for _, trial := range w.trialsOf(e) {
		lines := []string{string(trial.Status.Phase)}
		for _, a := range trial.Status.Attempts {
			lines = append(lines, fmt.Sprintf("attempt %d: %s, %s; its Deployment, Job and %d pods are on record: %t",
				a.Number, a.Outcome, a.Reason, len(a.ServicePodUIDs), a.ServiceUID != "" && a.JobUID != ""))
		}
		o.Trials[trial.Spec.Variant.Name+string(trial.Spec.Role)] = lines
	}
	for _, object := range w.everything() {
		o.Left[kindOf(object)]++
	}
	return o
}
