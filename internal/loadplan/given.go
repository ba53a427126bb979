package loadplan

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// ErrNoSteps means that a load of mode Rates or Users has no rates or users.
var ErrNoSteps = errors.New("the load has no rate and no number of users")

// ratesSteps gives each step a whole number of logins, from which its time follows, so that the offered
// rate is exactly the requested one.
func (s service) ratesSteps(spec v1beta1.SizingTrialSpec) ([]Step, error) {
	if len(spec.Load.Rates.PerSecond) == 0 {
		return nil, ErrNoSteps
	}
	var steps []Step
	for index, rate := range spec.Load.Rates.PerSecond {
		offered, err := milliPerSecond(rate)
		if err != nil {
			return nil, err
		}
		step := s.open(spec, v1beta1.PurposeRate, index, offered, ratesRequests(spec.Load, offered))
		step.Reported = index == 0
		steps = append(steps, step)
	}
	return steps, nil
}

func ratesRequests(load v1beta1.Load, offeredMilli int64) int {
	return max(1, requestsIn(time.Duration(load.StepSeconds)*time.Second, offeredMilli))
}

func (s service) usersSteps(spec v1beta1.SizingTrialSpec) ([]Step, error) {
	if len(spec.Load.Users.Counts) == 0 {
		return nil, ErrNoSteps
	}
	var steps []Step
	for index, users := range spec.Load.Users.Counts {
		step := s.closed(Closed, v1beta1.PurposeUsers, int(users), time.Duration(spec.Load.StepSeconds)*time.Second)
		if spec.Load.Warmup() == 0 {
			// Without a warm-up, the first seconds are counted too.
			step.SettleMilliseconds = 0
		}
		step.Reported = index == 0
		steps = append(steps, step)
	}
	return steps, nil
}

// milliPerSecond parses a rate, a whole number or a decimal string.
func milliPerSecond(rate intstr.IntOrString) (int64, error) {
	quantity, err := resource.ParseQuantity(rate.String())
	if err != nil {
		return 0, fmt.Errorf("rate %q is not a number: %w", rate.String(), err)
	}
	offered := quantity.MilliValue()
	if offered <= 0 || offered > fastestOpen {
		return 0, fmt.Errorf("rate %q is not above 0 and at most %d", rate.String(), int64(fastestOpen/milli))
	}
	return offered, nil
}
