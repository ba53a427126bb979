package telemetry

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// JustEnded returns the attempt that ended between two states of a trial, if any.
func JustEnded(before, after *v1beta1.SizingTrialStatus) (ended v1beta1.Attempt, did bool) {
	current := lifecycle.Current(before)
	if current == nil {
		return v1beta1.Attempt{}, false
	}
	for _, attempt := range after.Attempts {
		if attempt.Number == current.Number && attempt.EndTime != nil {
			attempt.Reason = orNone(attempt.Reason)
			return attempt, true
		}
	}
	return v1beta1.Attempt{}, false
}

// JustReleased reports whether a trial was released between two states: it ended, and all
// of its objects are deleted.
func JustReleased(before, after *v1beta1.SizingTrial) bool {
	return !queue.Released(before) && queue.Released(after)
}

// Stage is a part of the time of a trial.
type Stage string

// The stages in their order. Calibrating and Loading are the measurement, and the others the overhead.
const (
	// StageDeploying lasts from the start of the attempt to the start of the calibration.
	StageDeploying   Stage = "Deploying"
	StageCalibrating Stage = "Calibrating"
	// StagePreparing lasts from the end of the calibration to the creation of the k6 Job.
	StagePreparing Stage = "Preparing"
	// StageStarting lasts until the generator's container has started.
	StageStarting Stage = "Starting"
	StageLoading  Stage = "Loading"
	// StageDriving is how much longer than its plan the generator took: k6's start and end.
	StageDriving Stage = "Driving"
	// StageJudging lasts until the result is in the status.
	StageJudging Stage = "Judging"
	// StageRemoving lasts until all objects are deleted.
	StageRemoving Stage = "Removing"
)

// StageTime is the duration of a stage.
type StageTime struct {
	Stage Stage
	Took  time.Duration
}

// StagesOf returns the duration of each stage of a trial's last attempt. It returns nil if the trial has not
// finished, or if the attempt was not kept or had no load. Times in Kubernetes are whole seconds of several
// clocks, so a stage can seem to end before it starts; its duration is then 0.
func StagesOf(trial *v1beta1.SizingTrial) []StageTime {
	status := &trial.Status
	if len(status.Attempts) == 0 || status.CompletionTime == nil {
		return nil
	}
	a := status.Attempts[len(status.Attempts)-1]
	times := []*metav1.Time{a.EndTime, a.CalibrationStartTime, a.CalibrationEndTime, a.LoadStartTime, a.GeneratorStartTime, a.GeneratorEndTime}
	if a.Outcome != v1beta1.OutcomeKept || slices.Contains(times, nil) {
		return nil
	}
	load := loadplan.Duration(loadplan.Ran(trial))
	stages := []StageTime{
		{StageDeploying, a.CalibrationStartTime.Sub(a.StartTime.Time)},
		{StageCalibrating, a.CalibrationEndTime.Sub(a.CalibrationStartTime.Time)},
		{StagePreparing, a.LoadStartTime.Sub(a.CalibrationEndTime.Time)},
		{StageStarting, a.GeneratorStartTime.Sub(a.LoadStartTime.Time)},
		{StageLoading, load},
		{StageDriving, a.GeneratorEndTime.Sub(a.GeneratorStartTime.Time) - load},
		{StageJudging, a.EndTime.Sub(a.GeneratorEndTime.Time)},
		{StageRemoving, status.CompletionTime.Sub(a.EndTime.Time)},
	}
	for i := range stages {
		stages[i].Took = max(stages[i].Took, 0)
	}
	return stages
}
