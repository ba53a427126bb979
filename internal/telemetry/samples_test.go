package telemetry_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// alone returns an experiment with one variant and some repetitions, and its samples.
func alone(repetitions int32, change func(*v1beta1.SizingExperiment, []v1beta1.SizingTrial)) (telemetry.State, []telemetry.Sample) {
	e := asked("alone", func(e *v1beta1.SizingExperiment) {
		e.Spec.Matrix = v1beta1.Matrix{Costs: []int32{8}, CPULimits: fixture.Limits("1")}
		e.Spec.Repetitions = &repetitions
	})
	trials := planned(&e)
	gather(&e, trials)
	change(&e, trials)
	s := state([]v1beta1.SizingExperiment{e}, trials)
	return s, telemetry.Of(s)
}

func TestUnmeasuredNumbersHaveNoSample(t *testing.T) {
	_, samples := alone(1, func(*v1beta1.SizingExperiment, []v1beta1.SizingTrial) {})
	var names []string
	for _, sample := range samples {
		if slices.Contains(sample.Values, "alone") {
			names = append(names, strings.TrimPrefix(sample.Series.Name, "hashmark_"))
		}
	}
	want := []string{
		"experiment_phase", "experiment_trials_planned", "experiment_trials_finished",
		"experiment_objective_p95_seconds", "variant_verdict",
	}
	slices.Sort(want)
	slices.Sort(names)
	if diff := cmp.Diff(want, slices.Compact(names)); diff != "" {
		t.Errorf("the series of an experiment whose turn is about to come (-want +got):\n%s", diff)
	}
}

func TestObjectiveThatIsNotMetIsZero(t *testing.T) {
	_, samples := alone(1, func(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		measured(&trials[0], 25_000, func(s *v1beta1.SizingTrialStatus) {
			s.Result.ObjectiveMet, s.Result.CapacityMilliPerSecond = ptr.To(false), nil
		})
		gather(e, trials)
	})
	if got := value(t, samples, "hashmark_variant_objective_met"); got != 0 {
		t.Errorf("the objective is met: %v", got)
	}
	if has(samples, "hashmark_variant_capacity_logins_per_second", "c8-1") {
		t.Error("there is a sample of a capacity that was not found")
	}
}

func TestStepsComeFromTheFirstUsableRepetition(t *testing.T) {
	_, samples := alone(3, func(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		measured(&trials[0], 10_000, func(s *v1beta1.SizingTrialStatus) { s.Result.Verdict = v1beta1.VerdictInvalid })
		measured(&trials[1], 20_000, func(s *v1beta1.SizingTrialStatus) { s.Steps[2].Outcome = v1beta1.StepNotRun })
		measured(&trials[2], 30_000)
		trials[0], trials[1], trials[2] = trials[2], trials[0], trials[1]
		gather(e, trials)
	})
	values := []string{"team-a", "alone", "c8-1"}
	if got := value(t, samples, "hashmark_step_offered_logins_per_second", append(values, "02")...); got != 14 {
		t.Errorf("the second step offered %v logins a second, want 14", got)
	}
	if has(samples, "hashmark_step_offered_logins_per_second", "03") || has(samples, "hashmark_step_error_ratio", "03") {
		t.Error("a step that was not run has a sample")
	}
	if has(samples, "hashmark_step_error_ratio", "04") || !has(samples, "hashmark_step_throttled_ratio", "02") {
		t.Error("the saturation has an error ratio, or the open step has no throttling")
	}
}

func TestErrorRatioIsTheUpperMedianOfReportedSteps(t *testing.T) {
	reported := func(failed int64) func(*v1beta1.SizingTrialStatus) {
		return func(s *v1beta1.SizingTrialStatus) { s.Steps[1].OK = s.Steps[1].Scheduled - failed }
	}
	invalid := func(s *v1beta1.SizingTrialStatus) { s.Result.Verdict = v1beta1.VerdictInvalid }
	notReported := func(s *v1beta1.SizingTrialStatus) { s.Steps[1].Reported = false }
	for name, tt := range map[string]struct {
		changes []func(*v1beta1.SizingTrialStatus)
		want    float64
		absent  bool
	}{
		"of three, the middle one":         {changes: []func(*v1beta1.SizingTrialStatus){reported(6), reported(2), reported(4)}, want: 0.02},
		"of two, the higher one":           {changes: []func(*v1beta1.SizingTrialStatus){reported(6), reported(2)}, want: 0.03},
		"none failed":                      {changes: []func(*v1beta1.SizingTrialStatus){reported(0)}, want: 0},
		"of one that is all there is":      {changes: []func(*v1beta1.SizingTrialStatus){invalid}, want: 0.005},
		"of a trial without reported step": {changes: []func(*v1beta1.SizingTrialStatus){notReported}, absent: true},
		"only of those that are usable": {changes: []func(*v1beta1.SizingTrialStatus){
			func(s *v1beta1.SizingTrialStatus) { reported(0)(s); invalid(s) }, reported(8),
		}, want: 0.04},
	} {
		t.Run(name, func(t *testing.T) {
			_, samples := alone(int32(len(tt.changes)), func(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
				for i, change := range tt.changes {
					measured(&trials[i], 25_000, change)
				}
				gather(e, trials)
			})
			if tt.absent {
				if has(samples, "hashmark_variant_error_ratio", "c8-1") {
					t.Error("there is a sample of the ratio")
				}
				return
			}
			if got := value(t, samples, "hashmark_variant_error_ratio"); got != tt.want {
				t.Errorf("the ratio is %v, want %v", got, tt.want)
			}
		})
	}
}

func TestDeadlineIsTheOperators(t *testing.T) {
	s, samples := alone(1, func(_ *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) { began(&trials[0], time.Minute) })
	s.StartTimeout = time.Hour
	trial := &s.Trials[0]
	want := lifecycle.Deadline(trial, &trial.Status.Attempts[0], 5*time.Minute)
	if got := value(t, samples, "hashmark_trial_attempt_deadline_timestamp_seconds"); got != float64(want.Unix()) {
		t.Errorf("the deadline is %v, want %v", got, want.Unix())
	}
	later := value(t, telemetry.Of(s), "hashmark_trial_attempt_deadline_timestamp_seconds")
	if later-float64(want.Unix()) != (2 * 55 * time.Minute).Seconds() {
		t.Errorf("with a startTimeout of 1h the deadline is %v, of 5m it was %v", later, want.Unix())
	}
}

func TestRefusedTrialsHaveNoSeries(t *testing.T) {
	_, samples := alone(1, func(_ *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		ended(&trials[0], v1beta1.TrialFailed, v1beta1.ReasonNotPlanned)
	})
	if has(samples, "hashmark_trial_phase", "Failed") {
		t.Error("a trial that was not planned has a sample")
	}
	if got := value(t, samples, "hashmark_trials_failed_in_row"); got != 0 {
		t.Errorf("%v have failed in a row, one that was never tried among them", got)
	}
}

func TestFailedInRowCountsSinceTheLastSuccess(t *testing.T) {
	end := func(phase v1beta1.TrialPhase, minute int) v1beta1.SizingTrial {
		return v1beta1.SizingTrial{Status: v1beta1.SizingTrialStatus{Phase: phase, CompletionTime: at(time.Duration(minute) * time.Minute)}}
	}
	failed, good, cancelled := v1beta1.TrialFailed, v1beta1.TrialSucceeded, v1beta1.TrialCancelled
	for name, tt := range map[string]struct {
		trials []v1beta1.SizingTrial
		want   int
	}{
		"nothing ended":                       {[]v1beta1.SizingTrial{{Status: v1beta1.SizingTrialStatus{Phase: v1beta1.TrialRunning}}}, 0},
		"none succeeded ever":                 {[]v1beta1.SizingTrial{end(failed, 1), end(failed, 2)}, 2},
		"in any order of the list":            {[]v1beta1.SizingTrial{end(failed, 4), end(failed, 1), end(good, 2), end(failed, 3)}, 2},
		"a success ends the row":              {[]v1beta1.SizingTrial{end(failed, 1), end(failed, 2), end(good, 3)}, 0},
		"a cancelled trial does not":          {[]v1beta1.SizingTrial{end(failed, 1), end(cancelled, 2), end(failed, 3)}, 2},
		"a success within the second does so": {[]v1beta1.SizingTrial{end(failed, 1), end(good, 1)}, 0},
	} {
		if got := telemetry.FailedInRow(tt.trials); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

// A scrape reads the objects of the cache, at the same time as reconcilers and other
// scrapes: it must not change them.
func TestOfChangesNothing(t *testing.T) {
	s := clinic()
	before := clinic()
	var scrapes sync.WaitGroup
	for range 4 {
		scrapes.Go(func() { telemetry.Of(s) })
	}
	scrapes.Wait()
	if diff := cmp.Diff(before, s); diff != "" {
		t.Errorf("the state (-before +after):\n%s", diff)
	}
}
