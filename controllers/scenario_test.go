//go:build integration

package controllers_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Each test of this file runs a whole experiment and compares what happened with a transcript
// under testdata: the first test with a complete one, the others with what no other transcript shows.

func TestABrokenAttemptIsFollowedByAGoodOne(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", oneVariant), 0)
	w.run("the load is running", func() bool { return w.underLoad("c8-500m") })
	w.wait(10 * time.Second)
	w.deletePods(v1beta1.ComponentService)
	w.toEnd(e)
	w.checkGolden(t, "broken-attempt", "")
}

func TestASuspendedTrialIsMeasuredAfresh(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login"), 0)
	w.run("the second trial's load is running", func() bool { return w.underLoad("c10-500m") })
	w.wait(10 * time.Second)
	w.edit(e, "suspends login", suspend)
	w.wait(60 * time.Second)
	w.edit(e, "resumes login", resume)
	w.toEnd(e)
	w.checkGolden(t, "suspended", "user|SizingTrial login-c10|SizingExperiment login (is|has condition .*Suspended)")
}

func TestACancelledExperimentKeepsItsResultsSoFar(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login"), 0)
	w.run("the second trial's load is running", func() bool { return w.underLoad("c10-500m") })
	w.wait(10 * time.Second)
	w.edit(e, "cancels login", cancel)
	w.toEnd(e)
	w.checkGolden(t, "cancelled", "user|SizingTrial login-c10|SizingExperiment login (is|has condition .*Cancelled)")
}

func TestExperimentsOfTwoNamespacesTakeTurns(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a", "team-b")
	takeTurns(w)
	w.checkGolden(t, "two-namespaces", turnsOnly)
}

// turnsOnly matches the lines of a transcript about turns, and the events.
const turnsOnly = "user|Lease|position|event"

// takeTurns runs an experiment and two that wait for it: one in its namespace, and a younger
// one in another.
func takeTurns(w *testCluster) {
	w.t.Helper()
	first := w.create(newExperiment("first"), 0)
	w.run("the first experiment's load is running", func() bool { return w.underLoad("c8-500m") })
	second, third := w.create(newExperiment("second", oneVariant), 0), w.create(newExperiment("third", oneVariant), 1)
	for _, e := range []*v1beta1.SizingExperiment{first, second, third} {
		w.toEnd(e)
	}
}

func TestAnInfeasibleVariantIsNotLoaded(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", infeasibleAtCost12), 0)
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	if w.creates["Job"] != 1 {
		t.Errorf("%d Jobs were created, want one for the variant that can meet the objective", w.creates["Job"])
	}
	w.checkGolden(t, "infeasible", "Sizing.* (login-)?c12-500m")
}

// infeasibleAtCost12 sets an objective below the time of a hash at cost 12 on an idle half
// CPU.
func infeasibleAtCost12(spec *v1beta1.SizingExperimentSpec) {
	spec.Matrix.Costs = []int32{8, 12}
	spec.Objective.P95Milliseconds = 300
}

// deletePods deletes the pods of a component, as with kubectl.
func (w *testCluster) deletePods(component string) {
	w.t.Helper()
	deletes(&corev1.PodList{}, component)(w)
}
