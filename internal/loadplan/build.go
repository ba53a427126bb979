package loadplan

import (
	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// gapMilliseconds is the time between the end of a step's drain and the next step, so that
// k6's scenarios never overlap.
const gapMilliseconds = 100

// Build plans the load of one attempt: a warm-up if there is one, the steps from low to high, and with load.capacity the
// saturation, which is last so that no step follows an overload. Only a trial that decides about a variant begins
// with it, because its other steps end once they decide. A service that can serve more than the generator can
// drive is not saturated. Without a prediction (nil) there is no step at the predicted capacity.
//
// Another version of this code may plan other steps, so a run is judged by the plan of its generator (Decode).
//
// Errors: ErrNotCalibrated, and a load that the API would have refused.
func Build(spec v1beta1.SizingTrialSpec, cal handover.Calibration, prediction *v1beta1.Prediction) (Plan, error) {
	s, err := newService(spec, cal)
	if err != nil {
		return Plan{}, err
	}
	steps, left, err := s.steps(spec, prediction)
	if err != nil {
		return Plan{}, err
	}
	steps = s.warmedUp(spec, steps)
	plan := Plan{
		Version:             Version,
		TimeoutMilliseconds: s.timeout.Milliseconds(),
		Steps:               inSequence(steps),
		NotRun:              left,
	}
	if spec.StopsEarly() {
		plan.Objective = &spec.Objective
	}
	return plan, nil
}

func (s service) steps(spec v1beta1.SizingTrialSpec, prediction *v1beta1.Prediction) ([]Step, []NotRun, error) {
	switch spec.Role {
	case v1beta1.RoleVerification:
		steps, err := s.verificationSteps(spec)
		return steps, nil, err
	case v1beta1.RoleDecision:
		if spec.StopsEarly() {
			return s.decisionSteps(spec), nil, nil
		}
	}
	switch spec.Load.Mode() {
	case v1beta1.LoadRates:
		steps, err := s.ratesSteps(spec)
		return steps, nil, err
	case v1beta1.LoadUsers:
		steps, err := s.usersSteps(spec)
		return steps, nil, err
	default:
		steps, left := s.capacitySteps(spec, prediction)
		return steps, left, nil
	}
}

// firstRate returns the rate that the warm-up leads up to: that of the first open step, or
// the highest rate that can be offered if no step has a rate.
func (s service) firstRate(steps []Step) int64 {
	if len(steps) > 0 && steps[0].Kind == Open {
		return steps[0].OfferedMilliPerSecond
	}
	return s.highestRate()
}

// inSequence starts each step when the one before it has drained.
func inSequence(steps []Step) []Step {
	var next int64
	for i := range steps {
		steps[i].StartMilliseconds = next
		next = steps[i].EndMilliseconds() + gapMilliseconds
	}
	return steps
}
