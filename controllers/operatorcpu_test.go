//go:build integration

package controllers_test

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"
)

// The operator of this test uses a tenth of a CPU.
func TestTheOperatorsCPUDuringALoadIsEvidenceUnlessItWasRestarted(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "operator-cpu")
	measure := func() {
		began := w.now()
		w.operator.trials.CPUTime = func() (time.Duration, error) { return w.now().Sub(began) / 10, nil }
	}
	measure()
	e := w.create(newExperiment("login", quick), 0)
	w.run("the second load is running", func() bool {
		trials := w.trialsOf(e)
		return len(trials) > 1 && trials[0].Status.Result != nil && loaded(w)
	})
	w.startOperator()
	measure()
	w.toEnd(e)
	trials := w.trialsOf(e)
	if got := ptr.Deref(trials[0].Status.Evidence.OperatorMilliCPU, 0); got != 100 {
		t.Errorf("the operator used %dm during the first load, want 100m", got)
	}
	if got := trials[1].Status.Evidence.OperatorMilliCPU; got != nil {
		t.Errorf("the operator was restarted during the second load, and is said to have used %dm", *got)
	}
}
