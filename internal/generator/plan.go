package generator

import (
	"errors"
	"fmt"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

const (
	// gapMilliseconds is the shortest time between two steps. Within it, the script wakes
	// callers early and k6 stops them late.
	gapMilliseconds = 100
	// shortestMilliseconds is the shortest scenario that k6 accepts.
	shortestMilliseconds = 1000
	// mostRequests keeps a step's schedule within the generator's memory.
	mostRequests = 4_000_000
)

// checkPlan returns an error if the script cannot run the plan.
func checkPlan(plan loadplan.Plan) error {
	if plan.Version != loadplan.Version {
		return fmt.Errorf("the plan has version %d, but this generator supports version %d: use images of the same release", plan.Version, loadplan.Version)
	}
	if plan.TimeoutMilliseconds < 1 || len(plan.Steps) == 0 {
		return errors.New("the plan needs a timeout above 0 and at least one step")
	}
	var earliest int64
	for i, step := range plan.Steps {
		if err := checkStep(step); err != nil {
			return fmt.Errorf("step %d of the plan: %w", i, err)
		}
		if step.StartMilliseconds < earliest {
			return fmt.Errorf("step %d of the plan starts at %d ms, but it can start at %d ms at the earliest, %d ms after the end of the previous step",
				i, step.StartMilliseconds, earliest, gapMilliseconds)
		}
		earliest = step.EndMilliseconds() + gapMilliseconds
	}
	return nil
}

func checkStep(step loadplan.Step) error {
	switch step.Kind {
	case loadplan.Closed, loadplan.Saturation:
	case loadplan.Warmup, loadplan.Open:
		if err := checkArrivals(step); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown kind %q", step.Kind)
	}
	switch {
	case step.Callers < 1:
		return fmt.Errorf("it has %d callers but needs at least one", step.Callers)
	case step.CountedMilliseconds < 1 || min(step.SettleMilliseconds, step.DrainMilliseconds) < 0:
		return errors.New("its counted part must be longer than 0, and its other parts must not be negative")
	case step.EndMilliseconds()-step.StartMilliseconds < shortestMilliseconds:
		return fmt.Errorf("it must last at least %d ms in total", shortestMilliseconds)
	}
	return nil
}

func checkArrivals(step loadplan.Step) error {
	if step.Arrivals != "Poisson" && step.Arrivals != "Uniform" {
		return fmt.Errorf("unknown arrivals %q", step.Arrivals)
	}
	if min(step.SettleRequests, step.Requests) < 0 || step.SettleRequests+step.Requests > mostRequests {
		return fmt.Errorf("it has %d and %d logins: both must be at least 0, and their sum at most %d", step.SettleRequests, step.Requests, mostRequests)
	}
	return nil
}
