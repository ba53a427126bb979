//go:build e2e

package e2e

import (
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// The suite of faults (TestChaos) also kills an operator thirty times.
func TestAKilledLeaderLosesAndRepeatsNoTrial(t *testing.T) {
	leader := startOperator(t)
	e := create(t, tiny(namespace(t), "led-twice", longer(10)))
	underLoad(t, e)
	watched := watchGenerators(t)
	startOperator(t) // waits for the lease
	leader.kill()
	finished(t, e, 3*time.Minute)
	eachMeasuredOnce(t, e, watched)
}

// eachMeasuredOnce checks that each trial has one kept result and one Job for each attempt,
// that no attempt was used up by a crash, and that no two generators ran at the same time. An
// attempt may have been Invalid, because the machine may be busy.
func eachMeasuredOnce(t *testing.T, e *v1beta1.SizingExperiment, watched *generators) {
	t.Helper()
	for _, trial := range trialsOf(t, e) {
		attempts := trial.Status.Attempts
		for i, attempt := range attempts {
			if last := i == len(attempts)-1; last != (attempt.Outcome == v1beta1.OutcomeKept) || !last && attempt.Outcome != v1beta1.OutcomeInvalid {
				t.Errorf("%s: attempt %d ended as %s (%s: %s)", trial.Name, attempt.Number, attempt.Outcome, attempt.Reason, attempt.Message)
			}
		}
		if trial.Status.Result == nil {
			t.Errorf("%s has no result", trial.Name)
		}
		if jobs := watched.jobsOfTrial(&trial); jobs != len(attempts) {
			t.Errorf("%s had %d Jobs in %d attempts", trial.Name, jobs, len(attempts))
		}
		for i, attempt := range attempts {
			if !watched.saw(&trial, attempt.JobUID) {
				t.Errorf("%s: attempt %d has the Job %q, which was not seen", trial.Name, i+1, attempt.JobUID)
			}
		}
	}
	watched.noneAtOnce(t)
	if e.Status.Phase != endOf(t, e) {
		t.Errorf("the experiment ended as %s", e.Status.Phase)
	}
}
