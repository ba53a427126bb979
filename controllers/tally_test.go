//go:build integration

package controllers_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// tally records all counts, over all processes of a cluster's operator.
type tally struct {
	lock     sync.Mutex
	attempts map[string]int
	stages   map[telemetry.Stage][]time.Duration
}

func newTally() *tally {
	return &tally{attempts: map[string]int{}, stages: map[telemetry.Stage][]time.Duration{}}
}

func (t *tally) AttemptEnded(outcome v1beta1.AttemptOutcome, reason string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.attempts[fmt.Sprintf("%s, %s", outcome, reason)]++
}

func (t *tally) StageTook(stage telemetry.Stage, took time.Duration) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.stages[stage] = append(t.stages[stage], took)
}

// ended counts the attempts of the cluster's trials as their statuses have them.
func (w *testCluster) ended() map[string]int {
	ended := map[string]int{}
	for _, trial := range w.trials() {
		for _, a := range trial.Status.Attempts {
			if a.EndTime != nil {
				ended[fmt.Sprintf("%s, %s", a.Outcome, a.Reason)]++
			}
		}
	}
	return ended
}

func TestEveryAttemptThatEndsIsCountedOnceAndEveryStage(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "tally")
	e := w.create(newExperiment("login", quick), 0)
	w.run("a load is running", func() bool { return loaded(w) })
	w.deletePods(v1beta1.ComponentService)
	w.toEnd(e)
	if diff := cmp.Diff(w.ended(), w.tally.attempts); diff != "" {
		t.Errorf("attempts that ended, and what was counted (-want +got):\n%s", diff)
	}
	if w.tally.attempts["Broken, ServiceReplaced"] != 1 {
		t.Errorf("the attempt whose service was deleted was counted as %v", w.tally.attempts)
	}
	measured := len(w.trials())
	for _, stage := range []telemetry.Stage{
		telemetry.StageDeploying, telemetry.StageCalibrating, telemetry.StagePreparing, telemetry.StageStarting,
		telemetry.StageLoading, telemetry.StageDriving, telemetry.StageJudging, telemetry.StageRemoving,
	} {
		if took := w.tally.stages[stage]; len(took) != measured || slices.Min(took) < 0 {
			t.Errorf("%s took %v; each of the %d trials should have been counted, none with a negative time", stage, took, measured)
		}
	}
}

// checkCounted compares the counts with the statuses. An operator that was killed right after
// a write may have lost the count of that write. No count may be doubled.
func (w *testCluster) checkCounted(mayLose int) {
	w.t.Helper()
	lost := 0
	for end, times := range w.ended() {
		counted := w.tally.attempts[end]
		if counted > times {
			w.t.Errorf("%s was counted %d times and happened %d times", end, counted, times)
		}
		lost += times - counted
	}
	if lost > mayLose {
		w.t.Errorf("%d counts were lost, at most %d may be", lost, mayLose)
	}
	for stage, took := range w.tally.stages {
		if len(took) > len(w.trials()) {
			w.t.Errorf("%s was counted %d times in %d trials", stage, len(took), len(w.trials()))
		}
	}
}
