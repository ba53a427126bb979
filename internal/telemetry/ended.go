package telemetry

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// JustEnded is the attempt that ended between two states of a trial, if one did.
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

// JustReleased tells whether a trial came to its end between two states: it
// ended, and nothing of it is left.
func JustReleased(before, after *v1alpha1.SizingTrial) bool {
	return !queue.Released(before) && queue.Released(after)
}

// Stage is a part of a trial's time.
type Stage string

// The stages in their order. Calibrating and Loading are the measurement; the
// others are what lifecycle.Overhead tells.
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

// StageTime is how long a stage took.
type StageTime struct {
	Stage Stage
	Took  time.Duration
}

// StagesOf tells how long each stage of a trial's last attempt took that drove
// a plan. Nothing is told of a trial that goes on, nor of an attempt that was not
// kept or had no load. Kubernetes tells moments in whole seconds and by several
// clocks: a stage that seems to have ended before it began took no time.
func StagesOf(trial *v1alpha1.SizingTrial, plan loadplan.Plan) []StageTime {
	overhead, known := lifecycle.OverheadOf(trial, plan)
	if !known {
		return nil
	}
	last := trial.Status.Attempts[len(trial.Status.Attempts)-1]
	stages := []StageTime{
		{StageDeploying, overhead.Deploying},
		{StageCalibrating, last.CalibrationEndTime.Sub(last.CalibrationStartTime.Time)},
		{StagePreparing, overhead.Preparing},
		{StageStarting, overhead.Starting},
		{StageLoading, loadplan.Duration(plan)},
		{StageDriving, overhead.Driving},
		{StageJudging, overhead.Judging},
		{StageRemoving, overhead.Removing},
	}
	for i := range stages {
		stages[i].Took = max(stages[i].Took, 0)
	}
	return stages
}
