package controllers

import (
	"context"
	"errors"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/queue"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// refresh is how often the estimated end of an experiment is updated if nothing else happens
// while one of its trials has a turn.
const refresh = 15 * time.Second

// waitingRefresh is how often an experiment that is suspended, or waits for its first or its next
// turn, is looked at without a reason. Its changes and those of its position are reasons; this is
// for events that are lost.
const waitingRefresh = 10 * time.Minute

// experimentPass is one pass over one experiment: what it observed, and the events to send.
type experimentPass struct {
	*ExperimentReconciler
	experiment *v1beta1.SizingExperiment
	now        time.Time
	planned    []matrix.PlannedTrial
	trials     []v1beta1.SizingTrial // in planned order, and the ones that do not exist yet
	outdated   []v1beta1.SizingTrial // of a spec that was edited since, and not begun
	foreign    []string              // trials with a planned trial's name and another spec
	earlier    *v1beta1.Progress     // as the status showed it before this pass
	events     pendingEvents
	secrets    error // why the experiment may not name Secrets
}

// hasEnded reports whether an experiment has ended for good. One that was not accepted goes on when its
// spec is edited, and a decision when variants are added to alsoMeasure.
func hasEnded(e *v1beta1.SizingExperiment) bool {
	corrected := e.Status.Phase == v1beta1.ExperimentFailed && !queue.Planned(e)
	return e.Status.Phase.Finished() && !corrected && !measuresMore(e)
}

// measuresMore reports whether an experiment that has ended has to measure variants of alsoMeasure.
func measuresMore(e *v1beta1.SizingExperiment) bool {
	ended := e.Status.CompletionTime
	return ended != nil && !ptr.Deref(e.Spec.Cancel, false) && !lifecycle.Overdue(e, ended.Time) && len(matrix.Also(e)) > 0
}

// begun reports whether a trial has had a turn. The spec can't be edited any more.
func (p *experimentPass) begun() bool { return p.experiment.Status.StartTime != nil }

// gather writes the rows, what follows from all trials together, the progress, and how long the
// experiment was suspended. It does not fail on specs that accept allows.
func (p *experimentPass) gather() error {
	status := &p.experiment.Status
	if err := sizing.Rows(p.experiment.Spec, p.trials, status); err != nil {
		return err
	}
	if status.Decision == nil && matrix.Measuring(p.experiment.Spec) == v1beta1.MeasureDecision {
		status.Decision = &v1beta1.Decision{Stage: v1beta1.StageCalibrating}
	}
	p.earlier = status.Progress
	status.Progress = results.Progress(p.trials, p.trialCount())
	if !p.begun() {
		status.StartTime = firstStart(p.trials) // somebody has removed it
	}
	lifecycle.NoteSuspension(p.experiment, p.now)
	return nil
}

func (p *experimentPass) trialCount() int {
	return trialCount(p.experiment, len(p.planned))
}

// trialCount returns the number of an experiment's trials: those that are planned, and one for
// each of a first load and a verification that can't be planned yet.
func trialCount(experiment *v1beta1.SizingExperiment, planned int) int {
	if len(experiment.Status.Verifications) == 0 && results.Verifies(experiment.Spec) {
		planned++
	}
	if len(loadsOf(experiment)) == 0 && matrix.Measuring(experiment.Spec) == v1beta1.MeasureDecision {
		planned++
	}
	return planned
}

func firstStart(trials []v1beta1.SizingTrial) *metav1.Time {
	var first *metav1.Time
	for i := range trials {
		if start := trials[i].Status.StartTime; start != nil && (first == nil || start.Before(first)) {
			first = start
		}
	}
	return first
}

func (p *experimentPass) allReleased() bool {
	return len(p.trials) >= len(p.planned) && !slices.ContainsFunc(p.trials, func(t v1beta1.SizingTrial) bool { return !queue.Released(&t) })
}

func (p *experimentPass) takeTurnsBack(ctx context.Context) error {
	if !ptr.Deref(p.experiment.Spec.Suspend, false) || ptr.Deref(p.experiment.Spec.Cancel, false) {
		return nil
	}
	for i := range p.trials {
		trial := &p.trials[i]
		if trial.Spec.Suspend || queue.Released(trial) {
			continue
		}
		err := suspendTrial(ctx, p.Client, p.Live, trial, true)
		if _, refused := errors.AsType[*refusedError](asRefused(err)); refused {
			p.Queue.failed(tellingTurn, trial, p.now, p.now, err)
			continue // its load ends all the same, because the trial looks at its experiment
		}
		if err != nil {
			return err
		}
		ctrl.LoggerFrom(ctx).Info(placeOf(p.experiment, trial), "action", "TakeTurnBack",
			"trial", trial.Name, "variant", trial.Spec.Variant.Name)
	}
	return nil
}
