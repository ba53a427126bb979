package controllers

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/queue"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// show writes the phase, conditions and columns of an experiment that has not ended.
func (p *experimentPass) show() {
	status := &p.experiment.Status
	phase, reason, message := results.PhaseOf(p.experiment, p.trials, p.trialCount())
	status.Phase = phase
	if p.Paused && !ptr.Deref(p.experiment.Spec.Suspend, false) {
		reason, message = v1beta1.ReasonPaused, lifecycle.Paused
	}
	if phase == v1beta1.ExperimentQueued {
		if position := p.position(); position > 0 {
			status.Progress.QueuePosition = &position
			message = results.Waiting(position)
		}
	}
	fails := false
	for i := range p.trials {
		if f, is := p.Queue.failureOf(p.trials[i].UID, p.now); is && !queue.Released(&p.trials[i]) {
			reason, fails = lifecycle.RefusalReason(f.err.Error()), true
			message = lifecycle.Clip(fmt.Sprintf("The cluster does not let trial %s continue, and others have its turn: %s", p.trials[i].Name, f.err))
		}
	}
	if phase == v1beta1.ExperimentRunning {
		p.estimate()
	}
	if p.unfinished(phase != v1beta1.ExperimentSuspended, reason, message) && fails {
		p.events.add(warning, reason, "Measure", message)
	}
	status.Display = results.ExperimentDisplay(p.experiment.Spec.Demand, status)
}

// unfinished sets the conditions of an experiment that has not ended, and reports whether it
// reconciles for another reason than before.
func (p *experimentPass) unfinished(reconciling bool, reason, message string) (changed bool) {
	for _, kind := range []string{v1beta1.ConditionFinished, v1beta1.ConditionReady} {
		p.condition(kind, false, v1beta1.ReasonNotFinished, "The experiment has not ended")
	}
	p.condition(v1beta1.ConditionStalled, false, v1beta1.ReasonNotStalled, "")
	p.suspended(ptr.Deref(p.experiment.Spec.Suspend, false) && !ptr.Deref(p.experiment.Spec.Cancel, false))
	return p.condition(v1beta1.ConditionReconciling, reconciling, reason, message)
}

func (p *experimentPass) suspended(is bool) {
	reason := v1beta1.ReasonNotSuspended
	if is {
		reason = v1beta1.ReasonSuspended
	}
	p.condition(v1beta1.ConditionSuspended, is, reason, "")
}

// position returns the queue position to show, or 0 if the experiment has no position. After a
// restart the status keeps its position until it is computed again.
func (p *experimentPass) position() int32 {
	position, known := p.Queue.position(p.experiment.UID)
	if !known && p.earlier != nil {
		return ptr.Deref(p.earlier.QueuePosition, 0)
	}
	return queue.Shown(position)
}

// estimate writes the estimated end. The one that the status shows is renewed only when a trial begins or ends,
// when the first hash has been timed, or when it has passed: while a trial waits, or takes longer than expected, it
// would move on with the clock, and each move is a write.
func (p *experimentPass) estimate() {
	progress, earlier := p.experiment.Status.Progress, p.earlier
	shown := earlier != nil && earlier.EstimatedEndTime != nil && !earlier.EstimatedEndTime.Time.Before(p.now)
	same := shown && earlier.Finished == progress.Finished && slices.Equal(earlier.Running, progress.Running) &&
		(earlier.LatestEndTime == nil || !results.Timed(p.trials))
	switch {
	case len(progress.Running) > 0 && !same:
		results.Estimate(progress, p.experiment.Spec, p.trials, p.trialCount(), p.now)
	case shown:
		progress.EstimatedEndTime, progress.EarliestEndTime, progress.LatestEndTime = earlier.EstimatedEndTime, earlier.EarliestEndTime, earlier.LatestEndTime
	}
}

// condition sets a condition, and reports whether that changed its reason or value.
func (p *experimentPass) condition(kind string, value bool, reason, message string) (changed bool) {
	conditions := &p.experiment.Status.Conditions
	before := meta.FindStatusCondition(*conditions, kind)
	condition := metav1.Condition{
		Type: kind, Status: metav1.ConditionFalse, Reason: reason, Message: lifecycle.Clip(message),
		ObservedGeneration: p.experiment.Generation, LastTransitionTime: metav1.NewTime(p.now),
	}
	if value {
		condition.Status = metav1.ConditionTrue
	}
	changed = before == nil || before.Status != condition.Status || before.Reason != reason
	meta.SetStatusCondition(conditions, condition)
	return changed
}
