package lifecycle

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// Overhead is what a trial spent on neither its calibration nor its load, stage
// by stage. Kubernetes tells moments in whole seconds, so that a single stage
// may be off by one; their sum is off by no more.
type Overhead struct {
	// Deploying is from the attempt's start to its calibration's.
	Deploying time.Duration
	// Preparing is from there to the creation of the k6 Job.
	Preparing time.Duration
	// Starting is until the generator's container began.
	Starting time.Duration
	// Driving is what the generator took beyond its plan: k6's start and end.
	Driving time.Duration
	// Judging is until the result stood in the status.
	Judging time.Duration
	// Removing is until nothing was left.
	Removing time.Duration
}

// Total is the sum of all stages.
func (o Overhead) Total() time.Duration {
	return o.Deploying + o.Preparing + o.Starting + o.Driving + o.Judging + o.Removing
}

// OverheadOf tells what the last attempt of a trial spent beside the plan that
// it drove. It is not known (false) of an attempt that was not kept, of one
// without load, and while the trial goes on.
func OverheadOf(trial *v1alpha1.SizingTrial, plan loadplan.Plan) (Overhead, bool) {
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
		Driving:   a.GeneratorEndTime.Sub(a.GeneratorStartTime.Time) - loadplan.Duration(plan),
		Judging:   a.EndTime.Sub(a.GeneratorEndTime.Time),
		Removing:  status.CompletionTime.Sub(a.EndTime.Time),
	}, true
}
