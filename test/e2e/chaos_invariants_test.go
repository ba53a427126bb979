//go:build e2e && chaos

package e2e

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// holds waits for an experiment's end, and checks all that must be true then. Attempts may have
// ended without numbers only for the reasons that the fault explains.
func (c *chaos) holds(t *testing.T, e *v1beta1.SizingExperiment, limit time.Duration, spoiled ...string) {
	t.Helper()
	finished(t, e, limit)
	c.experiments = append(c.experiments, e)
	if !e.Status.Phase.Finished() || e.Status.CompletionTime == nil {
		t.Errorf("%s ended as %s, at %v", e.Name, e.Status.Phase, e.Status.CompletionTime)
	}
	kept := map[string]int32{}
	for _, trial := range trialsOf(t, e) {
		if c.measuredOnce(t, &trial, spoiled) {
			kept[trial.Spec.Variant.Name]++
		}
	}
	for _, row := range e.Status.Results {
		if row.Trials != kept[row.Variant] {
			t.Errorf("the row of %s counts %d results, and %d were kept", row.Variant, row.Trials, kept[row.Variant])
		}
	}
	c.watched.noneAtOnce(t)
	t.Logf("%d trials have a kept result: %s", len(kept), standing(t, e))
}

// measuredOnce checks that one result of a trial counts, that the Jobs which wrote a result are
// those whose result was read, and that each attempt has one Job. It reports whether a result
// was kept.
func (c *chaos) measuredOnce(t *testing.T, trial *v1beta1.SizingTrial, spoiled []string) bool {
	t.Helper()
	kept, read, jobs := 0, []types.UID{}, []types.UID{}
	for _, attempt := range trial.Status.Attempts {
		if attempt.JobUID != "" {
			jobs = append(jobs, attempt.JobUID)
		}
		switch {
		case attempt.Outcome == v1beta1.OutcomeKept:
			kept++
			read = append(read, attempt.JobUID)
		case attempt.Outcome == v1beta1.OutcomeInvalid:
			read = append(read, attempt.JobUID)
		case !slices.Contains(spoiled, attempt.Reason):
			t.Errorf("%s: attempt %d ended as %q (%s: %s)", trial.Name, attempt.Number, attempt.Outcome, attempt.Reason, attempt.Message)
		default:
			t.Logf("%s: attempt %d was spoiled: %s: %s", trial.Name, attempt.Number, attempt.Reason, attempt.Message)
		}
	}
	if kept > 1 || !trial.Status.Phase.Finished() {
		t.Errorf("%s ended as %q with %d results that count", trial.Name, trial.Status.Phase, kept)
	}
	if result := trial.Status.Result; (kept == 1) != (result != nil) && (result == nil || result.Verdict != v1beta1.VerdictInvalid) {
		t.Errorf("%s has %d results that count, and the result %+v", trial.Name, kept, result)
	}
	c.jobsAgree(t, trial, jobs, read)
	return kept == 1
}

// jobsAgree compares a trial's attempts with the Jobs that were seen.
func (c *chaos) jobsAgree(t *testing.T, trial *v1beta1.SizingTrial, jobs, read []types.UID) {
	t.Helper()
	wrote := c.watched.measured(trial)
	for _, job := range read {
		if !slices.Contains(wrote, job) {
			t.Errorf("%s counts the Job %q, which did not write a result", trial.Name, job)
		}
	}
	for _, job := range wrote {
		if !slices.Contains(read, job) && !slices.Contains(jobs, job) {
			t.Errorf("%s lost the result of the Job %q", trial.Name, job)
		}
	}
	if seen := c.watched.jobsOfTrial(trial); seen != len(jobs) {
		t.Errorf("%s had %d Jobs, and its attempts %d", trial.Name, seen, len(jobs))
	}
}
