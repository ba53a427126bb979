//go:build integration

package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// edits are changes of an experiment of two costs that has not begun.
var edits = map[string]func(*v1beta1.SizingExperimentSpec){
	"fewer variants":         func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{7} },
	"more variants":          func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{5, 6, 7} },
	"other variants":         func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{8, 9} },
	"another order":          func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{7, 6} },
	"another load":           func(s *v1beta1.SizingExperimentSpec) { s.Load.StepSeconds = 3 },
	"another seed":           func(s *v1beta1.SizingExperimentSpec) { s.Seed = ptr.To[int64](8) },
	"more repetitions":       func(s *v1beta1.SizingExperimentSpec) { s.Repetitions = ptr.To[int32](2) },
	"more trials at a time":  func(s *v1beta1.SizingExperimentSpec) { s.Parallelism = ptr.To[int32](2) },
	"nothing but a baseline": func(s *v1beta1.SizingExperimentSpec) { s.Baseline = "c7-500m" },
}

// TestAnEditedExperimentIsPlannedAnew edits an experiment whose first trials exist, and measures it.
func TestAnEditedExperimentIsPlannedAnew(t *testing.T) {
	t.Parallel()
	for name, change := range edits {
		t.Run(name+", while it is suspended", func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "edited")
			e := w.create(newExperiment("login", quick, suspend), 0)
			w.settle()
			w.checkPlan(e)
			w.edit(e, "edits login", change)
			w.settle()
			w.checkPlan(e)
			w.edit(e, "resumes login", resume)
			w.measureAsPlanned(e)
		})
		t.Run(name+", while it waits for its turn", func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "edited")
			first := w.create(newExperiment("first", quick, oneVariant), 0)
			w.run("the first one's load is running", func() bool { return loaded(w) })
			e := w.create(newExperiment("login", quick), 0)
			last := w.create(newExperiment("last", quick, oneVariant), 0)
			w.settle()
			w.checkPlan(e)
			before := ptr.Deref(e.Status.Progress.QueuePosition, 0)
			w.edit(e, "edits login", change)
			w.settle()
			w.checkPlan(e)
			if after := ptr.Deref(e.Status.Progress.QueuePosition, 0); before == 0 || after != before {
				t.Errorf("its position was %d, and is %d", before, after)
			}
			for _, each := range []*v1beta1.SizingExperiment{first, last, e} {
				w.toEnd(each)
			}
			w.measureAsPlanned(e)
		})
	}
}

// checkPlan checks that the trials that exist, the rows and the conditions are those of the spec as it is.
func (w *testCluster) checkPlan(e *v1beta1.SizingExperiment) {
	w.t.Helper()
	w.reread(e)
	planned, err := matrix.Plan(e, matrix.Seed(e))
	w.must("planning", err)
	trials := w.trialsOf(e)
	if len(trials) == 0 {
		w.t.Error("no trial exists")
	}
	for _, trial := range trials {
		if !slices.ContainsFunc(planned, func(p matrix.PlannedTrial) bool {
			return p.Name == trial.Name && matrix.SamePlan(p.Spec, trial.Spec)
		}) {
			w.t.Errorf("trial %s is not in the plan", trial.Name)
		}
		if len(trial.Status.Attempts) == 0 && meta.IsStatusConditionTrue(trial.Status.Conditions, v1beta1.ConditionReleased) {
			w.t.Errorf("trial %s has ended without an attempt: %s", trial.Name, trial.Status.Reason)
		}
	}
	w.checkVariants(e)
	w.checkStamped(e)
	if strings.Contains(w.transcript.text(), v1beta1.ReasonNotPlanned) {
		w.t.Error("a trial was refused because of the edit")
	}
}

// checkVariants checks that the experiment has a row for each variant of its matrix, and no other.
func (w *testCluster) checkVariants(e *v1beta1.SizingExperiment) {
	w.t.Helper()
	variants, err := matrix.Measured(e.Spec, nil)
	w.must("expanding the matrix", err)
	var want, got []string
	for _, variant := range variants {
		want = append(want, variant.Name)
	}
	for _, row := range e.Status.Results {
		got = append(got, row.Variant)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("the rows (-variants +rows):\n%s", diff)
	}
}

// measureAsPlanned lets an experiment end, and checks that each planned trial was measured once, and
// nothing else.
func (w *testCluster) measureAsPlanned(e *v1beta1.SizingExperiment) {
	w.t.Helper()
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	w.checkPlan(e)
	planned, err := matrix.Plan(e, matrix.Seed(e))
	w.must("planning", err)
	trials := w.trialsOf(e)
	if len(trials) != len(planned) {
		w.t.Errorf("%d trials exist, and %d are planned", len(trials), len(planned))
	}
	for _, trial := range trials {
		if attempts := trial.Status.Attempts; len(attempts) != 1 || !isKept(attempts[0]) {
			w.t.Errorf("the attempts of %s are %+v", trial.Name, attempts)
		}
	}
}

// TestAnEditThatIsTakenBackKeepsTheTrials edits an experiment twice before the operator looks.
func TestAnEditThatIsTakenBackKeepsTheTrials(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "edited")
	e := w.create(newExperiment("login", quick, suspend), 0)
	w.settle()
	uids := func() (all []types.UID) {
		for _, trial := range w.trialsOf(e) {
			all = append(all, trial.UID)
		}
		return all
	}
	before := uids()
	w.edit(e, "edits login", edits["other variants"])
	w.edit(e, "takes that back", quick)
	w.settle()
	w.checkPlan(e)
	if diff := cmp.Diff(before, uids()); diff != "" {
		t.Errorf("the trials were replaced (-before +after):\n%s", diff)
	}
	w.edit(e, "edits login", edits["other variants"])
	w.settle()
	w.edit(e, "takes that back", quick)
	w.settle()
	w.checkPlan(e)
	w.edit(e, "resumes login", resume)
	w.measureAsPlanned(e)
}

// TestAnEditAtAnyMomentIsMeasuredOrRefused edits an experiment at each write of the operator until the
// first login service exists, and has the operator killed before or after that write, or not at all. The
// API server takes the edit, and then all trials are those of the edited spec, or refuses it, and then all
// are those of the spec before.
func TestAnEditAtAnyMomentIsMeasuredOrRefused(t *testing.T) {
	t.Parallel()
	undisturbed := newTestCluster(t, "moments")
	undisturbed.create(newExperiment("login", quick), 0)
	undisturbed.run("its login service exists", func() bool { return undisturbed.creates["Deployment"] > 0 })
	for how, then := range map[string]strike{
		"the operator goes on":              func(_ *testCluster, _ *operator, do func() error) error { return do() },
		"the operator is killed before it":  killedBefore,
		"the operator is killed afterwards": killedAfter,
	} {
		for write := 1; write <= undisturbed.writes; write++ {
			t.Run(fmt.Sprintf("write %d, %s", write, how), func(t *testing.T) {
				t.Parallel()
				w := newTestCluster(t, "moments")
				e := newExperiment("login", quick)
				edited, refused := false, false
				w.disturbance = disturbance{write: write, strike: func(w *testCluster, process *operator, do func() error) error {
					edited, refused = true, !w.tryEdit(e, edits["more variants"])
					return then(w, process, do)
				}}
				w.create(e, 0)
				w.measureAsPlanned(e)
				if want := map[bool]int{true: 2, false: 3}[refused]; !edited || len(e.Status.Results) != want {
					t.Errorf("it was edited: %t, refused: %t, and has %d rows", edited, refused, len(e.Status.Results))
				}
			})
		}
	}
}

// tryEdit edits an experiment, and reports whether the API server takes the edit. It refuses it only once
// the experiment has begun.
func (w *testCluster) tryEdit(e *v1beta1.SizingExperiment, change func(*v1beta1.SizingExperimentSpec)) (taken bool) {
	w.t.Helper()
	w.reread(e)
	before := e.DeepCopy()
	change(&e.Spec)
	err := w.client.Patch(w.ctx, e, client.MergeFrom(before))
	w.log("user", fmt.Sprintf("edits login, error %v", err))
	if err != nil && (!apierrors.IsInvalid(err) || before.Status.StartTime == nil) {
		w.t.Errorf("the edit is refused: %v; the start time is %v", err, before.Status.StartTime)
	}
	return err == nil
}

// unacceptable makes a spec that the API server takes and the operator does not.
func unacceptable(s *v1beta1.SizingExperimentSpec) { s.Baseline = "c16-500m" }

func acceptable(s *v1beta1.SizingExperimentSpec) { s.Baseline = "" }

// TestAnExperimentThatWasNotAcceptedCanBeCorrected looks at what those who wait for the end see meanwhile.
func TestAnExperimentThatWasNotAcceptedCanBeCorrected(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*v1beta1.SizingExperimentSpec){
		"from the beginning":                 unacceptable,
		"after its first trials were made":   suspend,
		"from the beginning, when suspended": func(s *v1beta1.SizingExperimentSpec) { unacceptable(s); suspend(s) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "corrected")
			e := w.create(newExperiment("login", quick, before), 0)
			w.settle()
			w.edit(e, "makes login unacceptable", unacceptable)
			w.settle()
			w.reread(e)
			w.checkEnd(e, v1beta1.ExperimentFailed, v1beta1.ReasonNotAccepted)
			w.checkWaits(e, status.FailedStatus, "Degraded")
			if trials := w.trialsOf(e); len(trials) > 0 || len(e.Status.Results) > 0 || e.Status.StartTime != nil {
				t.Errorf("it has %d trials, %d rows, and began at %v", len(trials), len(e.Status.Results), e.Status.StartTime)
			}
			ended := e.Status.CompletionTime
			w.clock.SetTime(w.now().Add(time.Minute))
			w.edit(e, "edits login, in vain", func(s *v1beta1.SizingExperimentSpec) { s.Baseline = "c15-500m" })
			w.settle()
			w.reread(e)
			w.checkEnd(e, v1beta1.ExperimentFailed, v1beta1.ReasonNotAccepted)
			if !e.Status.CompletionTime.Equal(ended) {
				t.Errorf("it ended at %v, and then at %v", ended, e.Status.CompletionTime)
			}
			w.edit(e, "corrects login", func(s *v1beta1.SizingExperimentSpec) { acceptable(s); suspend(s) })
			w.checkWaits(e, status.InProgressStatus, "Progressing")
			w.settle()
			w.checkPlan(e)
			w.checkWaits(e, status.InProgressStatus, "Suspended")
			for _, kind := range []string{v1beta1.ConditionFinished, v1beta1.ConditionStalled, v1beta1.ConditionReady} {
				if !meta.IsStatusConditionFalse(e.Status.Conditions, kind) {
					t.Errorf("condition %s is %+v", kind, meta.FindStatusCondition(e.Status.Conditions, kind))
				}
			}
			if e.Status.CompletionTime != nil || !meta.IsStatusConditionTrue(e.Status.Conditions, v1beta1.ConditionAccepted) {
				t.Errorf("the corrected experiment ended at %v; its conditions are %+v", e.Status.CompletionTime, e.Status.Conditions)
			}
			w.edit(e, "resumes login", resume)
			w.measureAsPlanned(e)
		})
	}
}

// TestATrialThatCannotBeReplacedIsNotMeasured refuses the deletion of the trials of a spec that was edited.
// Nobody waits for that experiment, and it goes on as soon as they can be deleted.
func TestATrialThatCannotBeReplacedIsNotMeasured(t *testing.T) {
	t.Parallel()
	for how, answer := range answers() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "first", "second")
			e := w.create(newExperiment("login", quick, suspend), 0)
			w.settle()
			w.disturbance.refusal = &refusal{writeKind: writeKind{"deletes", "SizingTrial"}, answer: answer}
			w.edit(e, "edits and resumes login", func(s *v1beta1.SizingExperimentSpec) { edits["other variants"](s); resume(s) })
			other := w.create(newExperiment("other", quick, oneVariant), 1)
			w.toEnd(other)
			if told := w.toldAbout(e); !strings.Contains(told, refusedBy) || e.Status.StartTime != nil {
				t.Errorf("it began at %v, and its owner is told:\n%s", e.Status.StartTime, told)
			}
			w.disturbance.refusal = nil
			w.run("it is accepted", func() bool { w.reread(e); return e.Status.ObservedGeneration == e.Generation })
			w.measureAsPlanned(e)
		})
	}
}
