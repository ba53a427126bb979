package telemetry

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// JustEnded returns the attempt that ended between two states of a trial, if any.
func JustEnded(before, after *v1alpha1.SizingTrialStatus) (ended v1alpha1.Attempt, did bool) {
	current := lifecycle.Current(before)
	if current == nil {
		return v1alpha1.Attempt{}, false
	}
	for _, attempt := range after.Attempts {
		if attempt.Number == current.Number && attempt.EndTime != nil {
			attempt.Reason = orNone(attempt.Reason)
			return attempt, true
		}
	}
	return v1alpha1.Attempt{}, false
}

// JustReleased reports whether a trial was released between two states: it ended, and all
// of its objects are deleted.
func JustReleased(before, after *v1alpha1.SizingTrial) bool {
	return !queue.Released(before) && queue.Released(after)
}

// Stage is a part of the time of a trial.
type Stage string

// The stages in their order. Calibrating and Loading are the measurement; the others are
// the fields of lifecycle.Overhead.
const (
	StageDeploying   Stage = "Deploying"
	StageCalibrating Stage = "Calibrating"
	StagePreparing   Stage = "Preparing"
	StageStarting    Stage = "Starting"
	StageLoading     Stage = "Loading"
	StageDriving     Stage = "Driving"
	StageJudging     Stage = "Judging"
	StageRemoving    Stage = "Removing"
)

// StageTime is the duration of a stage.
type StageTime struct {
	Stage Stage
	Took  time.Duration
}

// StagesOf returns the duration of each stage of a trial's last attempt. It returns nil if the trial has not finished, or if the attempt was not kept or had
// no load. Times in Kubernetes are whole seconds of several clocks, so a stage can seem to
// end before it starts; its duration is then 0.
func StagesOf(trial *v1alpha1.SizingTrial) []StageTime {
	overhead, known := lifecycle.OverheadOf(trial)
	if !known {
		return nil
	}
	last := trial.Status.Attempts[len(trial.Status.Attempts)-1]
	stages := []StageTime{
		{StageDeploying, overhead.Deploying},
		{StageCalibrating, last.CalibrationEndTime.Sub(last.CalibrationStartTime.Time)},
		{StagePreparing, overhead.Preparing},
		{StageStarting, overhead.Starting},
		{StageLoading, loadplan.Duration(loadplan.Ran(trial))},
		{StageDriving, overhead.Driving},
		{StageJudging, overhead.Judging},
		{StageRemoving, overhead.Removing},
	}
	for i := range stages {
		stages[i].Took = max(stages[i].Took, 0)
	}
	return stages
}
