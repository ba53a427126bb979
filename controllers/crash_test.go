//go:build integration

package controllers_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// TestAnOperatorKilledAtAnyWriteLosesNothing plays one experiment, which measures a
// variant and verifies its answer, again and again, and each time kills the operator at another of its
// writes: once before the write reaches the API server, once after it is done
// and before the answer comes back. A fresh process goes on, and all must come
// to what came of the experiment that was left in peace.
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
	peace := newWorld(t, "crash")
	want := peace.outcome(peace.ask(question("login", changes...), 0))
	for write := 1; write <= peace.writes; write++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("write %d, after it was done: %t", write, after), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "crash")
				w.crash = crash{atWrite: write, after: after}
				got := w.outcome(w.ask(question("login", changes...), 0))
				if w.writes < write {
					t.Fatalf("the experiment was over after %d writes, before the operator could be killed", w.writes)
				}
				w.checkCounted(map[bool]int{false: 0, true: 1}[after])
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("what came of the experiment, left in peace and not (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// outcome is all that must not depend on where an operator was killed.
type outcome struct {
	Phase  v1alpha1.ExperimentPhase
	Answer v1alpha1.SizingExperimentStatus
	// Verified tells what was verified.
	Verified []string
	// Trials tells each trial's phase and attempts.
	Trials map[string][]string
	// Creates counts what was created in all, by kind.
	Creates map[string]int
	// Left counts what is left in the end, by kind.
	Left map[string]int
}

// outcome lets an experiment come to its end and gathers what came of it.
func (w *world) outcome(e *v1alpha1.SizingExperiment) outcome {
	w.t.Helper()
	w.toEnd(e)
	o := outcome{
		Phase: e.Status.Phase, Answer: answerOf(e), Verified: verifications(e), Creates: w.creates,
		Trials: map[string][]string{}, Left: map[string]int{},
	}
	for _, trial := range w.trialsOf(e) {
		told := []string{string(trial.Status.Phase)}
		for _, a := range trial.Status.Attempts {
			told = append(told, fmt.Sprintf("attempt %d: %s, %s; its Deployment, Job and %d pods are on record: %t",
				a.Number, a.Outcome, a.Reason, len(a.ServicePodUIDs), a.ServiceUID != "" && a.JobUID != ""))
		}
		o.Trials[trial.Spec.Variant.Name+string(trial.Spec.Role)] = told
	}
	for _, object := range w.everything() {
		o.Left[kindOf(object)]++
	}
	return o
}
