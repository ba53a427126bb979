package lifecycle

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/queue"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// keptAttempts is the number of attempts that the status keeps. Interrupted attempts do not
// count towards spec.attempts, so there is no limit on their number: the oldest ones are
// dropped.
const keptAttempts = 20

// calibrationAllowance covers the longest calibration: a minute of hashes, the reference
// hashes, and the start of a pod.
const calibrationAllowance = 150 * time.Second

// calibrationTime returns how long a calibration may take. In that of a user's own login service,
// the service starts and warms up.
func calibrationTime(spec v1beta1.SizingTrialSpec) time.Duration {
	if spec.Service.Own == nil {
		return calibrationAllowance
	}
	return calibrationAllowance + ownStart(spec) + spec.Load.Warmup()
}

func ownStart(spec v1beta1.SizingTrialSpec) time.Duration {
	own := spec.Service.Own
	if own == nil {
		return 0
	}
	start := own.Ready.TimeoutSeconds
	for _, companion := range own.Companions {
		start = max(start, own.Ready.TimeoutSeconds+companion.Ready.TimeoutSeconds)
	}
	if own.Login.NumberOfAccounts() > 1 {
		return time.Duration(start)*time.Second + loginflow.SetupLimit
	}
	return time.Duration(start) * time.Second
}

// runAllowance covers the start of k6, the wait for Hashmark's service to answer, and a slow end.
const runAllowance = 90 * time.Second

// RunAllowance returns how much longer than its plan a load may take.
func RunAllowance(spec v1beta1.SizingTrialSpec) time.Duration { return runAllowance + ownStart(spec) }

// Deadline returns when an attempt is given up, whatever it is doing: the time that was stored when
// it began, at which its pods end themselves. For an attempt that began before the API had the field, it
// follows from the present start timeout.
func Deadline(trial *v1beta1.SizingTrial, attempt *v1beta1.Attempt, startTimeout time.Duration) time.Time {
	if attempt.DeadlineTime != nil {
		return attempt.DeadlineTime.Time
	}
	return newDeadline(trial, attempt, startTimeout)
}

// newDeadline allows twice the start timeout (service and generator), the calibration, and the
// longest load that the spec allows.
func newDeadline(trial *v1beta1.SizingTrial, attempt *v1beta1.Attempt, startTimeout time.Duration) time.Time {
	return attempt.StartTime.Add(2*startTimeout + calibrationTime(trial.Spec) + RunAllowance(trial.Spec) + loadplan.MaxDuration(trial.Spec))
}

// BeginAttempt adds an attempt to the status. Numbers are never reused, so that the children
// of two attempts never share a name.
func BeginAttempt(trial *v1beta1.SizingTrial, now time.Time, startTimeout time.Duration) {
	status := &trial.Status
	number := int32(1)
	if n := len(status.Attempts); n > 0 {
		number = status.Attempts[n-1].Number + 1
	}
	attempt := v1beta1.Attempt{Number: number, StartTime: metav1.NewTime(now)}
	attempt.DeadlineTime = &metav1.Time{Time: newDeadline(trial, &attempt, startTimeout)}
	status.Attempts = append(status.Attempts, attempt)
	makeRoom(status)
	if status.StartTime == nil {
		status.StartTime = &metav1.Time{Time: now}
	}
}

// makeRoom drops the oldest interrupted attempts. It keeps those that count towards
// spec.attempts.
func makeRoom(status *v1beta1.SizingTrialStatus) {
	for len(status.Attempts) > keptAttempts {
		oldest := 0
		for status.Attempts[oldest].Outcome != v1beta1.OutcomeInterrupted {
			oldest++
		}
		status.Attempts = append(status.Attempts[:oldest], status.Attempts[oldest+1:]...)
	}
}

// NoteJob records the Job of an attempt that ends before that was done. Its pods are then known
// as the trial's even after the Job is deleted.
func NoteJob(o *Observation) {
	if attempt := o.attempt(); attempt.JobUID == "" && o.Children.Job != nil {
		attempt.JobUID = o.Children.Job.UID
	}
}

// EndAttempt ends the current attempt. The steps of one without a result are not kept.
func EndAttempt(trial *v1beta1.SizingTrial, now time.Time, outcome v1beta1.AttemptOutcome, reason, message string) {
	attempt := Current(&trial.Status)
	attempt.EndTime = &metav1.Time{Time: now}
	attempt.Outcome, attempt.Reason, attempt.Message = outcome, reason, Clip(message)
	if outcome != v1beta1.OutcomeKept {
		trial.Status.Steps = nil
	}
}

// ReleaseTrial ends the trial. Its phase follows from its result, or from how the last attempt
// ended.
func ReleaseTrial(trial *v1beta1.SizingTrial, now time.Time, cancelled bool) {
	switch status := &trial.Status; {
	case status.Result != nil:
		endTrial(trial, now, v1beta1.TrialSucceeded, v1beta1.ReasonMeasured, "")
	case cancelled:
		endTrial(trial, now, v1beta1.TrialCancelled, v1beta1.ReasonCancelled,
			"The experiment was cancelled, or exceeded its time limit, before this trial was measured")
	default:
		last := status.Attempts[len(status.Attempts)-1]
		endTrial(trial, now, v1beta1.TrialFailed, last.Reason, last.Message)
	}
}

// FailTrial ends a trial without a result, for instance because no experiment plans it.
func FailTrial(trial *v1beta1.SizingTrial, now time.Time, reason, message string) {
	endTrial(trial, now, v1beta1.TrialFailed, reason, Clip(message))
}

func endTrial(trial *v1beta1.SizingTrial, now time.Time, phase v1beta1.TrialPhase, reason, message string) {
	status := &trial.Status
	status.CompletionTime = &metav1.Time{Time: now}
	status.Phase, status.Reason, status.Message = phase, reason, message
	setReady(trial, false, now)
	if queue.Waits(trial) {
		SetCondition(trial, v1beta1.ConditionWaiting, metav1.ConditionFalse, v1beta1.ReasonContinues, now)
	}
	SetCondition(trial, v1beta1.ConditionReleased, metav1.ConditionTrue, reason, now)
}

// setReady sets the conditions that other tools look at. Their reasons do not follow the progress,
// which the status has by itself.
func setReady(trial *v1beta1.SizingTrial, reconciling bool, now time.Time) {
	status := &trial.Status
	outcome, halted := v1beta1.ReasonNotFinished, v1beta1.ReasonSuspended
	if status.Phase.Finished() {
		outcome, halted = status.Reason, v1beta1.ReasonFinished
	}
	succeeded := status.Phase == v1beta1.TrialSucceeded
	either(trial, v1beta1.ConditionReady, succeeded, outcome, outcome, now)
	either(trial, v1beta1.ConditionReconciling, reconciling, outcome, halted, now)
	either(trial, v1beta1.ConditionStalled, status.Phase.Finished() && !succeeded, outcome, v1beta1.ReasonNotStalled, now)
}

// either sets a condition with the reason for its value.
func either(trial *v1beta1.SizingTrial, kind string, value bool, whyTrue, whyFalse string, now time.Time) {
	if value {
		SetCondition(trial, kind, metav1.ConditionTrue, whyTrue, now)
		return
	}
	SetCondition(trial, kind, metav1.ConditionFalse, whyFalse, now)
}

// ShowProgress writes what the trial is doing or waiting for.
func ShowProgress(trial *v1beta1.SizingTrial, decision Decision, suspended bool, now time.Time) {
	status := &trial.Status
	showWaiting(trial, decision, now)
	switch {
	case decision.Action != Rest:
		// Also if the attempt has just ended: the trial keeps its turn until its objects are
		// deleted.
		status.Phase = v1beta1.TrialRunning
	case suspended && len(status.Attempts) > 0:
		status.Phase = v1beta1.TrialSuspended
	default:
		status.Phase = v1beta1.TrialPending
	}
	status.Reason, status.Message = decision.Reason, Clip(decision.Message)
	setReady(trial, !suspended, now)
}

// showWaiting sets the condition Waiting, by which the trial's turn is free for others. A trial that
// does nothing else meanwhile, because it has no turn, stays as it is.
func showWaiting(trial *v1beta1.SizingTrial, decision Decision, now time.Time) {
	waits := decision.yields || !decision.since.IsZero() && now.Sub(decision.since) >= patience(trial.Status.Attempts)
	switch decision.Action {
	case Rest, Deploy, Refuse, Release:
		return
	case Sweep:
		if !waits {
			return
		}
	case Interrupt:
		waits = decision.keepsWaiting
	default:
	}
	switch {
	case waits:
		SetCondition(trial, v1beta1.ConditionWaiting, metav1.ConditionTrue, decision.Reason, now)
	case meta.FindStatusCondition(trial.Status.Conditions, v1beta1.ConditionWaiting) != nil:
		SetCondition(trial, v1beta1.ConditionWaiting, metav1.ConditionFalse, v1beta1.ReasonContinues, now)
	}
}

// patience returns how long a trial waits before others may have its turn. If its pods started just after
// it had lost its turn, it waits longer the next time: two trials with slow pods would otherwise take
// the turn from each other for ever.
func patience(attempts []v1beta1.Attempt) time.Duration {
	const longest = 40 * time.Second
	patience := queue.Patience
	for _, a := range slices.Backward(attempts) {
		switch {
		case a.EndTime == nil:
			continue
		case a.Outcome != v1beta1.OutcomeInterrupted || a.Reason != v1beta1.ReasonWaitingForTurn || patience >= longest:
			return patience
		}
		patience *= 2
	}
	return patience
}

// SetCondition sets a condition of a trial. Its message stays empty, because the status has a
// reason and a message of its own.
func SetCondition(trial *v1beta1.SizingTrial, kind string, value metav1.ConditionStatus, reason string, now time.Time) {
	meta.SetStatusCondition(&trial.Status.Conditions, metav1.Condition{
		Type: kind, Status: value, Reason: reason, ObservedGeneration: trial.Generation,
		LastTransitionTime: metav1.NewTime(now),
	})
}

// Clip makes a message one line of plain text, and shortens it to the length that the API allows. It
// leaves out the middle: the beginning says what happened, and the end may be the last output of a
// program. A message that was clipped before stays as it is.
func Clip(message string) string {
	const most, gap = 1000, " … "
	message = units.Line(message)
	runes := []rune(message)
	if len(runes) <= most {
		return message
	}
	rest := most*3/4 - len([]rune(gap))
	return units.Line(string(runes[:most/4]) + gap + string(runes[len(runes)-rest:]))
}
