package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/results"
)

func TestProgress(t *testing.T) {
	got := results.Progress([]v1beta1.SizingTrial{
		aTrial("c8-1", ended(time.Minute)), aTrial("c8-2", failed("ImagePull", "")), aTrial("c10-1", began(time.Minute)), aTrial("c10-2"),
	}, 4)
	if diff := cmp.Diff(&v1beta1.Progress{Trials: 4, Finished: 2, Running: []string{"c10-1"}, Doing: []string{"c10-1: k6 drives the service"}}, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestProgressHasABound(t *testing.T) {
	var trials []v1beta1.SizingTrial
	for range v1beta1.MaxRunning + 1 {
		trials = append(trials, aTrial("c8-1", began(time.Minute), func(t *v1beta1.SizingTrial) { t.Status.Message = strings.Repeat("waits ", 200) }))
	}
	got := results.Progress(trials, len(trials))
	if len(got.Running) != v1beta1.MaxRunning || len(got.Doing) != v1beta1.MaxRunning {
		t.Errorf("%d trials run and %d do something, want %d", len(got.Running), len(got.Doing), v1beta1.MaxRunning)
	}
	for _, doing := range got.Doing {
		if letters := len([]rune(doing)); letters != v1beta1.MaxMessage {
			t.Errorf("a trial does something in %d characters, want %d", letters, v1beta1.MaxMessage)
		}
	}
}

func TestPhaseOf(t *testing.T) {
	tests := map[string]struct {
		spec   v1beta1.SizingExperimentSpec
		trials []v1beta1.SizingTrial
		phase  v1beta1.ExperimentPhase
		words  string
	}{
		"waiting for its first turn": {trials: []v1beta1.SizingTrial{aTrial("c8-1")},
			phase: v1beta1.ExperimentQueued, words: "Waits for its turn"},
		"measuring": {trials: []v1beta1.SizingTrial{aTrial("c8-1", began(time.Minute)), aTrial("c8-2")},
			phase: v1beta1.ExperimentRunning, words: "0 of 2 trials have ended. c8-1: k6 drives the service"},
		"its turn has just come": {trials: []v1beta1.SizingTrial{aTrial("c8-1", func(t *v1beta1.SizingTrial) { t.Spec.Suspend = false })},
			phase: v1beta1.ExperimentQueued, words: "Waits for its turn"},
		"between two trials": {trials: []v1beta1.SizingTrial{aTrial("c8-1", ended(time.Minute)), aTrial("c8-2")},
			phase: v1beta1.ExperimentRunning, words: "1 of 2 trials have ended"},
		"suspended": {spec: v1beta1.SizingExperimentSpec{Suspend: ptr.To(true)}, trials: []v1beta1.SizingTrial{aTrial("c8-1", ended(time.Minute)), aTrial("c8-2")},
			phase: v1beta1.ExperimentSuspended, words: "Suspended; set spec.suspend to false to continue"},
		"cancelled wins over suspended": {spec: v1beta1.SizingExperimentSpec{Suspend: ptr.To(true), Cancel: ptr.To(true)}, trials: []v1beta1.SizingTrial{aTrial("c8-1", began(time.Minute))},
			phase: v1beta1.ExperimentRunning, words: "Cancelled; removing the load"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			phase, _, words := results.PhaseOf(&v1beta1.SizingExperiment{Spec: test.spec}, test.trials, len(test.trials))
			if phase != test.phase || words != test.words {
				t.Errorf("%s: %q, want %s: %q", phase, words, test.phase, test.words)
			}
		})
	}
}

func TestEstimatedEndLearnsFromEndedTrials(t *testing.T) {
	guess, err := loadplan.Estimate(aTrial("any").Spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		trials []v1beta1.SizingTrial
		want   time.Duration // from now; 0 for none
	}{
		"before any trial ended, the estimates":     {[]v1beta1.SizingTrial{aTrial("a", began(0)), aTrial("b")}, 2 * guess},
		"elapsed time is subtracted":                {[]v1beta1.SizingTrial{aTrial("a", began(10*time.Second))}, guess - 10*time.Second},
		"a trial that is overdue adds nothing":      {[]v1beta1.SizingTrial{aTrial("a", began(time.Hour)), aTrial("b")}, guess},
		"if one took half as long again, all do":    {[]v1beta1.SizingTrial{aTrial("a", ended(guess*3/2)), aTrial("b"), aTrial("c")}, 3 * guess},
		"two that run at once share what is left":   {[]v1beta1.SizingTrial{aTrial("a", began(0)), aTrial("b", began(0)), aTrial("c"), aTrial("d")}, 2 * guess},
		"a failed attempt saves no time":            {[]v1beta1.SizingTrial{aTrial("a", began(time.Hour), again(10*time.Second))}, guess - 10*time.Second},
		"a suspension does not count":               {[]v1beta1.SizingTrial{aTrial("a", ended(24*time.Hour), again(guess)), aTrial("b")}, guess},
		"when all have ended there is nothing left": {[]v1beta1.SizingTrial{aTrial("a", ended(time.Minute))}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := estimate(v1beta1.SizingExperimentSpec{}, test.trials, len(test.trials), noon).EstimatedEndTime
			switch {
			case test.want == 0 && got != nil:
				t.Errorf("the end is %v, want none", got)
			case test.want != 0 && (got == nil || got.Sub(noon.Add(test.want)).Abs() > time.Second):
				t.Errorf("the end is %v, want %v", got, noon.Add(test.want))
			case got != nil && got.Nanosecond() != 0:
				t.Errorf("the end %v is finer than the API stores it", got)
			}
		})
	}
}

func estimate(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, planned int, now time.Time) *v1beta1.Progress {
	progress := &v1beta1.Progress{}
	results.Estimate(progress, spec, trials, planned, now)
	return progress
}

// Until a hash has been timed the estimate is an interval, and then it follows from that time.
func TestEstimatedEndIsAnIntervalUntilAHashHasBeenTimed(t *testing.T) {
	trial := aTrial("a", began(0))
	trial.Spec.Variant.Hash = v1beta1.BcryptHash(12)
	before := estimate(v1beta1.SizingExperimentSpec{}, []v1beta1.SizingTrial{trial}, 1, noon)
	if !before.EarliestEndTime.Before(before.EstimatedEndTime) || !before.EstimatedEndTime.Before(before.LatestEndTime) {
		t.Errorf("it ends at %v, between %v and %v", before.EstimatedEndTime, before.EarliestEndTime, before.LatestEndTime)
	}
	overdue := estimate(v1beta1.SizingExperimentSpec{}, []v1beta1.SizingTrial{aTrial("a", began(time.Hour)), aTrial("b")}, 2, noon)
	if overdue.EarliestEndTime == nil || overdue.EarliestEndTime.After(overdue.EstimatedEndTime.Time) {
		t.Errorf("with an overdue trial it ends at %v, not before %v", overdue.EstimatedEndTime, overdue.EarliestEndTime)
	}
	guess := password.Recipe{Algorithm: password.Bcrypt, Cost: password.ReferenceCost}.GuessedTime().Microseconds()
	trial.Status.Speed = &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 2 * guess}
	after := estimate(v1beta1.SizingExperimentSpec{}, []v1beta1.SizingTrial{trial}, 1, noon)
	if after.EarliestEndTime != nil || after.LatestEndTime != nil || after.EstimatedEndTime.Sub(before.LatestEndTime.Time).Abs() > 2*time.Second {
		t.Errorf("at half the guessed speed it ends at %v, between %v and %v, and was to end between %v and %v", after.EstimatedEndTime,
			after.EarliestEndTime, after.LatestEndTime, before.EarliestEndTime, before.LatestEndTime)
	}
}

func TestEstimatedEndCountsVerification(t *testing.T) {
	for rate, want := range map[string]time.Duration{"0.5": 620 * time.Second, "1": 341 * time.Second, "5": 110 * time.Second, "1000": 110 * time.Second} {
		spec := v1beta1.SizingExperimentSpec{Demand: &v1beta1.Demand{LoginsPerSecond: intstr.Parse(rate)}}
		got := estimate(spec, nil, 1, noon).EstimatedEndTime
		if got == nil || !got.Time.Equal(noon.Add(want)) {
			t.Errorf("with %s logins per second it ends at %v, want %v", rate, got, noon.Add(want))
		}
	}
}

// The runs in docs/gallery are real. When a trial of theirs ended, from the second on, the estimate was
// off by at most a tenth of the time that was left, or by the time that a pod may take to start. A load that a decision
// added later could not be known.
func TestEstimatedEndOfRealRuns(t *testing.T) {
	const start = 20 * time.Second
	files, err := filepath.Glob("../../docs/gallery/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("docs/gallery has no saved runs (error %v)", err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		run, err := report.Read(file)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(run.Trials, func(a, b v1beta1.SizingTrial) int {
			return a.Status.CompletionTime.Compare(b.Status.CompletionTime.Time)
		})
		end := run.Experiment.Status.CompletionTime.Time
		for i := 1; i < len(run.Trials)-1; i++ {
			now := run.Trials[i].Status.CompletionTime.Time
			later := func(t v1beta1.SizingTrial) bool {
				return t.CreationTimestamp.After(now) && t.Spec.Role == v1beta1.RoleDecision
			}
			if slices.ContainsFunc(run.Trials, later) {
				continue
			}
			got := estimate(run.Experiment.Spec, before(now, run.Trials), len(run.Trials), now).EstimatedEndTime
			if allowed := max(end.Sub(now)/10, start); got == nil || got.Sub(end).Abs() > allowed {
				t.Errorf("%s: after %d trials the end is %v, want %v within %v", name, i+1, got, end, allowed)
			}
		}
	}
}

// before returns the trials as they were when one of them ended.
func before(now time.Time, trials []v1beta1.SizingTrial) []v1beta1.SizingTrial {
	var then []v1beta1.SizingTrial
	for _, trial := range trials {
		if trial.CreationTimestamp.After(now) {
			continue // a verification
		}
		if trial.Status.CompletionTime.After(now) {
			trial.Spec.Suspend, trial.Status = true, v1beta1.SizingTrialStatus{}
		}
		then = append(then, trial)
	}
	return then
}

func TestEnd(t *testing.T) {
	row := func(name string, verdict v1beta1.Verdict, reasons ...string) v1beta1.VariantResult {
		r := v1beta1.VariantResult{Variant: name, Verdict: verdict}
		for _, reason := range reasons {
			r.Reasons = append(r.Reasons, v1beta1.Reason{Type: reason})
		}
		return r
	}
	tests := map[string]struct {
		rows []v1beta1.VariantResult
		want results.Outcome
	}{
		"all valid": {[]v1beta1.VariantResult{row("a", v1beta1.VerdictValid), row("b", v1beta1.VerdictValid)},
			results.Outcome{Succeeded: true, Reason: v1beta1.ReasonAllMeasured, Message: "All 2 variants were measured and are valid"}},
		"a single one that is valid": {[]v1beta1.VariantResult{row("a", v1beta1.VerdictValid)},
			results.Outcome{Succeeded: true, Reason: v1beta1.ReasonAllMeasured, Message: "The variant was measured and is valid"}},
		"some suspect": {[]v1beta1.VariantResult{row("a", v1beta1.VerdictValid), row("b", v1beta1.VerdictSuspect)},
			results.Outcome{Succeeded: true, Reason: v1beta1.ReasonSomeSuspect, Message: "Suspect: b"}},
		"only suspect": {[]v1beta1.VariantResult{row("b", v1beta1.VerdictSuspect)},
			results.Outcome{Succeeded: true, Reason: v1beta1.ReasonSomeSuspect, Message: "Suspect: b"}},
		"some without result": {[]v1beta1.VariantResult{row("a", v1beta1.VerdictValid), row("b", v1beta1.VerdictInvalid), row("c", v1beta1.VerdictPending), row("d", v1beta1.VerdictSuspect)},
			results.Outcome{Succeeded: true, Reason: v1beta1.ReasonSomeWithoutResult, Message: "Without a usable result: b, c; suspect: d"}},
		"none usable, with each reason once": {[]v1beta1.VariantResult{row("a", v1beta1.VerdictInvalid, "PodAltered"), row("b", v1beta1.VerdictPending, "PodAltered", "ImagePull")},
			results.Outcome{Reason: v1beta1.ReasonNoneMeasured, Message: "No variant has a usable result: PodAltered, ImagePull"}},
		"none usable, without what only explains": {
			[]v1beta1.VariantResult{{Variant: "a", Verdict: v1beta1.VerdictInvalid, Reasons: []v1beta1.Reason{
				{Type: v1beta1.ReasonNoisyNeighbour, Verdict: v1beta1.VerdictInvalid}, {Type: v1beta1.ReasonLivenessFails},
			}}},
			results.Outcome{Reason: v1beta1.ReasonNoneMeasured, Message: "No variant has a usable result: NoisyNeighbour"}},
		"nothing at all": {[]v1beta1.VariantResult{row("a", v1beta1.VerdictPending)},
			results.Outcome{Reason: v1beta1.ReasonNoneMeasured, Message: "No variant has a usable result: nothing was measured"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, results.End(test.rows, nil)); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWaitingSaysAboutForRoundedPosition(t *testing.T) {
	for position, want := range map[int32]string{
		10: "Waits for its turn: position 10 in the queue",
		20: "Waits for its turn: about position 20 in the queue",
	} {
		if got := results.Waiting(position); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
