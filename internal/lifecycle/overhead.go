package lifecycle

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// Overhead is the time that a trial spent on neither its calibration nor its load, per stage.
// Kubernetes reports times in whole seconds, so a single stage may be off by one second. The
// sum is also off by at most one second.
type Overhead struct {
	// Deploying lasts from the start of the attempt to the start of the calibration.
	Deploying time.Duration
	// Preparing lasts from the end of the calibration to the creation of the k6 Job.
	Preparing time.Duration
	// Starting lasts until the generator's container has started.
	Starting time.Duration
	// Driving is how much longer than its plan the generator took: k6's start and end.
	Driving time.Duration
	// Judging lasts until the result is in the status.
	Judging time.Duration
	// Removing lasts until all objects are deleted.
	Removing time.Duration
}

// Total returns the sum of all stages.
func (o Overhead) Total() time.Duration {
	return o.Deploying + o.Preparing + o.Starting + o.Driving + o.Judging + o.Removing
}

// OverheadOf returns the overhead of a trial's last attempt. It returns false if the attempt was not kept or had no load, and while the trial runs.
func OverheadOf(trial *v1alpha1.SizingTrial) (Overhead, bool) {
	status := &trial.Status
	if len(status.Attempts) == 0 || status.CompletionTime == nil {
		return Overhead{}, false
	}
	a := status.Attempts[len(status.Attempts)-1]
	if a.Outcome != v1alpha1.OutcomeKept || a.EndTime == nil || a.CalibrationStartTime == nil || a.CalibrationEndTime == nil ||
		a.LoadStartTime == nil || a.GeneratorStartTime == nil || a.GeneratorEndTime == nil {
		return Overhead{}, false
	}
	return Overhead{
		Deploying: a.CalibrationStartTime.Sub(a.StartTime.Time),
		Preparing: a.LoadStartTime.Sub(a.CalibrationEndTime.Time),
		Starting:  a.GeneratorStartTime.Sub(a.LoadStartTime.Time),
		Driving:   a.GeneratorEndTime.Sub(a.GeneratorStartTime.Time) - loadplan.Duration(loadplan.Ran(trial)),
		Judging:   a.EndTime.Sub(a.GeneratorEndTime.Time),
		Removing:  status.CompletionTime.Sub(a.EndTime.Time),
	}, true
}
