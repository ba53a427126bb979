package loadplan

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Version is the version of a plan. It increases with every change of what a plan means: of its
// fields, of the due times that follow from a seed, or of what the generator measures in a step.
const Version = 5

// Kind says how a step drives the service.
type Kind string

const (
	// Warmup is an open step whose logins are never counted or reported.
	Warmup Kind = "Warmup"
	// Open sends logins when they are due, whether or not earlier ones were answered.
	Open Kind = "Open"
	// Closed keeps a number of callers busy.
	Closed Kind = "Closed"
	// Saturation is a closed step with just enough callers that the service is never idle.
	Saturation Kind = "Saturation"
)

// Plan is the load of one generator: steps one after another, with fixed rates because a
// k6 run cannot change its rates.
type Plan struct {
	// Version is the constant Version of the program that made the plan.
	Version int `json:"version"`
	// TimeoutMilliseconds is when a caller gives up.
	TimeoutMilliseconds int64 `json:"timeoutMs"`
	// Steps in the order in which they run; they never overlap.
	Steps []Step `json:"steps"`
	// NotRun are the steps that are not worth their time. The generator ignores them.
	NotRun []NotRun `json:"notRun,omitempty"`
	// Objective is set for verifications. The generator counts the logins that miss it,
	// and skips the remaining steps once they decide the outcome.
	Objective *v1beta1.Objective `json:"objective,omitempty"`
}

// Step is one load held for some time: a settling part that is not counted, the counted
// part, and a drain in which nothing new is sent.
type Step struct {
	Kind Kind `json:"kind"`
	// Purpose is what the step is for; empty for a warm-up.
	Purpose v1beta1.StepPurpose `json:"purpose,omitempty"`
	// StartMilliseconds is the step's beginning, from the start of the k6 run.
	StartMilliseconds int64 `json:"startMs"`
	// SettleMilliseconds is how long the step's load is held before it counts.
	SettleMilliseconds int64 `json:"settleMs"`
	// CountedMilliseconds is how long the counted part lasts.
	CountedMilliseconds int64 `json:"countedMs"`
	// DrainMilliseconds is how long requests under way can take to end.
	DrainMilliseconds int64 `json:"drainMs"`
	// Callers is the number of k6's virtual users.
	Callers int `json:"callers"`

	// Arrivals is "Poisson" or "Uniform"; only with Warmup and Open.
	Arrivals string `json:"arrivals,omitempty"`
	// SettleRequests are due in the settling part.
	SettleRequests int `json:"settleRequests,omitempty"`
	// Requests are due in the counted part.
	Requests int `json:"requests,omitempty"`
	// Seed is the seed of the counted part's due times, Seed+1 that of the settling part's.
	Seed uint32 `json:"seed,omitempty"`

	// OfferedMilliPerSecond is the rate, times 1000; only with Warmup and Open.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond,omitempty"`
	// LoadPercent is the share of the calibrated bound, or of what the generator can drive
	// if that is less, rounded to a whole percent; only with load.capacity.
	LoadPercent int32 `json:"loadPercent,omitempty"`
	// Predicted marks the step at the predicted capacity; only with load.capacity.
	Predicted bool `json:"predicted,omitempty"`
	// Reported marks the step that the variant's row is taken from.
	Reported bool `json:"reported,omitempty"`
}

// NotRun is a step that is left out.
type NotRun struct {
	// LoadPercent is the share that the step would have had (Step.LoadPercent).
	LoadPercent int32 `json:"loadPercent"`
	// OfferedMilliPerSecond is the rate it would have had, times 1000.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond"`
	// Requests is the number of logins that it could have offered in the longest step.
	Requests int `json:"requests"`
	// Reported means that the variant's row would have been taken from it.
	Reported bool `json:"reported,omitempty"`
	// Predicted means that its rate is the predicted capacity.
	Predicted bool `json:"predicted,omitempty"`
	// Message says why it is left out and what to do.
	Message string `json:"message"`
}

// EndMilliseconds returns when the step's drain ends, from the start of the k6 run.
func (s Step) EndMilliseconds() int64 {
	return s.StartMilliseconds + s.SettleMilliseconds + s.CountedMilliseconds + s.DrainMilliseconds
}

// WithoutWarmup returns the steps that have a result: all except the warm-up.
func (p Plan) WithoutWarmup() []Step {
	var steps []Step
	for _, step := range p.Steps {
		if step.Kind != Warmup {
			steps = append(steps, step)
		}
	}
	return steps
}

// Before returns the plan without the step at an index and the steps after it.
func (p Plan) Before(step int) Plan {
	p.Steps = p.Steps[:max(0, min(step, len(p.Steps)))]
	return p
}

// First returns the plan up to its nth step, not counting warm-ups.
func (p Plan) First(n int) Plan {
	for i, step := range p.Steps {
		if step.Kind == Warmup {
			n++
		} else if i >= n {
			return p.Before(i)
		}
	}
	return p
}

// InAPI returns the steps of the plan as a trial's status stores them when the load begins: those
// that are run, without the warm-up, followed by those that are not.
func (p Plan) InAPI() []v1beta1.Step {
	var stored []v1beta1.Step
	for _, step := range p.WithoutWarmup() {
		stored = append(stored, step.inAPI())
	}
	for _, left := range p.NotRun {
		stored = append(stored, v1beta1.Step{
			Kind: v1beta1.StepOpen, Purpose: v1beta1.PurposeCapacity,
			Outcome: v1beta1.StepNotRun, Message: units.Clip(left.Message, v1beta1.MaxMessage),
			PlannedLoadPerMille: inPerMille(left.LoadPercent), OfferedMilliPerSecond: ptr.To(left.OfferedMilliPerSecond),
		})
	}
	return stored
}

func (s Step) inAPI() v1beta1.Step {
	stored := v1beta1.Step{
		Kind: v1beta1.StepKind(s.Kind), Purpose: s.Purpose, Outcome: v1beta1.StepPlanned, Reported: s.Reported,
		Plan: &v1beta1.StepPlan{
			StartMilliseconds: s.StartMilliseconds, SettleMilliseconds: s.SettleMilliseconds,
			CountedMilliseconds: s.CountedMilliseconds, DrainMilliseconds: s.DrainMilliseconds,
			Callers: int32(s.Callers), Arrivals: v1beta1.Arrivals(s.Arrivals),
			SettleRequests: int64(s.SettleRequests), Requests: int64(s.Requests), Seed: int64(s.Seed),
		},
	}
	if s.LoadPercent > 0 {
		stored.PlannedLoadPerMille = inPerMille(s.LoadPercent)
	}
	if s.Kind == Open {
		stored.OfferedMilliPerSecond = ptr.To(s.OfferedMilliPerSecond)
	} else {
		stored.Users = ptr.To(int32(s.Callers))
	}
	return stored
}

func inPerMille(percent int32) *int64 { return ptr.To(10 * int64(percent)) }

// FromAPI returns the planned step of a stored one.
func FromAPI(stored v1beta1.Step) Step {
	planned := ptr.Deref(stored.Plan, v1beta1.StepPlan{})
	return Step{
		Kind: Kind(stored.Kind), Purpose: stored.Purpose,
		StartMilliseconds: planned.StartMilliseconds, SettleMilliseconds: planned.SettleMilliseconds,
		CountedMilliseconds: planned.CountedMilliseconds, DrainMilliseconds: planned.DrainMilliseconds,
		Callers: int(planned.Callers), Arrivals: string(planned.Arrivals),
		SettleRequests: int(planned.SettleRequests), Requests: int(planned.Requests), Seed: uint32(planned.Seed),
		OfferedMilliPerSecond: ptr.Deref(stored.OfferedMilliPerSecond, 0),
		LoadPercent:           int32(ptr.Deref(stored.PlannedLoadPerMille, 0) / 10),
		Reported:              stored.Reported,
	}
}

// Ran returns the load that a trial ran, without its warm-up.
func Ran(trial *v1beta1.SizingTrial) Plan {
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
func ReportedStep(status *v1beta1.SizingTrialStatus) *v1beta1.Step {
	for i := range status.Steps {
		if status.Steps[i].Reported {
			return &status.Steps[i]
		}
	}
	return nil
}
