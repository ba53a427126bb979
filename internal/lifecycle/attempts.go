package lifecycle

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// keptAttempts is how many attempts the status holds; interrupted ones are
// not bounded by spec.attempts, so the oldest make room.
const keptAttempts = 20

// calibrationAllowance covers the longest calibration: a minute of hashes, the
// reference, and a pod's start.
const calibrationAllowance = 150 * time.Second

// RunAllowance is what a load may take beyond its plan: k6's own start, the wait
// for the service to answer, and a slow end.
const RunAllowance = 90 * time.Second

// Deadline is when an attempt is given up whatever it does: twice the start
// timeout (service and generator), calibration, and the longest load that its
// spec allows. The login service ends itself then, too.
func Deadline(trial *v1alpha1.SizingTrial, attempt *v1alpha1.Attempt, startTimeout time.Duration) time.Time {
	return attempt.StartTime.Add(2*startTimeout + calibrationAllowance + RunAllowance + loadplan.MaxDuration(trial.Spec))
}

// BeginAttempt adds an attempt to the status. Numbers are never used twice, so
// that the children of two attempts never share a name.
func BeginAttempt(trial *v1alpha1.SizingTrial, now time.Time) {
	status := &trial.Status
	number := int32(1)
	if n := len(status.Attempts); n > 0 {
		number = status.Attempts[n-1].Number + 1
	}
	status.Attempts = append(status.Attempts, v1alpha1.Attempt{Number: number, StartTime: metav1.NewTime(now)})
	makeRoom(status)
	if status.StartTime == nil {
		status.StartTime = &metav1.Time{Time: now}
	}
}

// makeRoom drops the oldest interrupted attempts; those that used up an attempt stay.
func makeRoom(status *v1alpha1.SizingTrialStatus) {
	for len(status.Attempts) > keptAttempts {
		oldest := 0
		for status.Attempts[oldest].Outcome != v1alpha1.OutcomeInterrupted {
			oldest++
		}
		status.Attempts = append(status.Attempts[:oldest], status.Attempts[oldest+1:]...)
	}
}

// EndAttempt ends the attempt that goes on.
func EndAttempt(trial *v1alpha1.SizingTrial, now time.Time, outcome v1alpha1.AttemptOutcome, reason, message string) {
	attempt := Current(&trial.Status)
	attempt.EndTime = &metav1.Time{Time: now}
	attempt.Outcome, attempt.Reason, attempt.Message = outcome, reason, Clip(message)
}

// ReleaseTrial ends the trial: its phase follows from its result, or from how
// the last attempt ended.
func ReleaseTrial(trial *v1alpha1.SizingTrial, now time.Time, cancelled bool) {
	status := &trial.Status
	status.CompletionTime = &metav1.Time{Time: now}
	switch {
	case status.Result != nil:
		status.Phase, status.Reason, status.Message = v1alpha1.TrialSucceeded, v1alpha1.ReasonMeasured, ""
	case cancelled:
		status.Phase, status.Reason = v1alpha1.TrialCancelled, v1alpha1.ReasonCancelled
		status.Message = "The experiment was cancelled, or was overdue, before this trial was measured"
	default:
		last := status.Attempts[len(status.Attempts)-1]
		status.Phase, status.Reason, status.Message = v1alpha1.TrialFailed, last.Reason, last.Message
	}
	SetCondition(trial, v1alpha1.ConditionReleased, metav1.ConditionTrue, status.Reason, now)
}

// RefuseTrial ends a trial that has no business being there.
func RefuseTrial(trial *v1alpha1.SizingTrial, now time.Time, decision Decision) {
	status := &trial.Status
	status.CompletionTime = &metav1.Time{Time: now}
	status.Phase, status.Reason, status.Message = v1alpha1.TrialFailed, decision.Reason, decision.Message
	SetCondition(trial, v1alpha1.ConditionReleased, metav1.ConditionTrue, decision.Reason, now)
}

// ShowProgress writes what the trial does or waits for.
func ShowProgress(trial *v1alpha1.SizingTrial, decision Decision, suspended bool) {
	status := &trial.Status
	switch {
	case decision.Action != Rest:
		// Also when the attempt has just ended: until it is swept, it holds its turn.
		status.Phase = v1alpha1.TrialRunning
	case suspended && len(status.Attempts) > 0:
		status.Phase = v1alpha1.TrialSuspended
	default:
		status.Phase = v1alpha1.TrialPending
	}
	status.Reason, status.Message = decision.Reason, Clip(decision.Message)
}

// SetCondition sets a condition of a trial. Its message stays empty: the status
// has a reason and a message of its own.
func SetCondition(trial *v1alpha1.SizingTrial, kind string, value metav1.ConditionStatus, reason string, now time.Time) {
	meta.SetStatusCondition(&trial.Status.Conditions, metav1.Condition{
		Type: kind, Status: value, Reason: reason, ObservedGeneration: trial.Generation,
		LastTransitionTime: metav1.NewTime(now),
	})
}

// Clip shortens a message to what the API allows. It leaves out the middle: the
// beginning says what happened, and the end may be a program's last words.
func Clip(message string) string {
	const most = 1000
	runes := []rune(message)
	if len(runes) <= most {
		return message
	}
	return string(runes[:most/4]) + " … " + string(runes[len(runes)-most*3/4:])
}
