package loadplan

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// InAPI returns how a step was planned, as a trial's status stores it.
func (s Step) InAPI() *v1alpha1.StepPlan {
	return &v1alpha1.StepPlan{
		StartMilliseconds: s.StartMilliseconds, SettleMilliseconds: s.SettleMilliseconds,
		CountedMilliseconds: s.CountedMilliseconds, DrainMilliseconds: s.DrainMilliseconds,
		Callers: int32(s.Callers), Arrivals: v1alpha1.Arrivals(s.Arrivals),
		SettleRequests: int64(s.SettleRequests), Requests: int64(s.Requests), Seed: int64(s.Seed),
	}
}

// FromAPI returns the planned step of a stored one.
func FromAPI(stored v1alpha1.Step) Step {
	planned := ptr.Deref(stored.Plan, v1alpha1.StepPlan{})
	return Step{
		Kind:              Kind(stored.Kind),
		StartMilliseconds: planned.StartMilliseconds, SettleMilliseconds: planned.SettleMilliseconds,
		CountedMilliseconds: planned.CountedMilliseconds, DrainMilliseconds: planned.DrainMilliseconds,
		Callers: int(planned.Callers), Arrivals: string(planned.Arrivals),
		SettleRequests: int(planned.SettleRequests), Requests: int(planned.Requests), Seed: uint32(planned.Seed),
		OfferedMilliPerSecond: ptr.Deref(stored.OfferedMilliPerSecond, 0),
		LoadPercent:           ptr.Deref(stored.LoadPercent, 0),
		Reported:              stored.Reported,
	}
}

// Ran returns the load that a trial ran, without its warm-up.
func Ran(trial *v1alpha1.SizingTrial) Plan {
	plan := Plan{Version: Version, TimeoutMilliseconds: int64(trial.Spec.Load.RequestTimeoutSeconds) * time.Second.Milliseconds()}
	for _, step := range trial.Status.Steps {
		if step.Plan != nil {
			plan.Steps = append(plan.Steps, FromAPI(step))
		}
	}
	return plan
}

// ReportedStep returns the step that a trial's result was taken from, or nil if it was not
// run.
func ReportedStep(status *v1alpha1.SizingTrialStatus) *v1alpha1.Step {
	for i := range status.Steps {
		if status.Steps[i].Reported {
			return &status.Steps[i]
		}
	}
	return nil
}
