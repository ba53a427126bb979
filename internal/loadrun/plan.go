package loadrun

import (
	"errors"
	"fmt"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

const (
	// gapMilliseconds must lie between two steps: the script wakes callers early
	// and lets k6 stop them late, within this.
	gapMilliseconds = 100
	// shortestMilliseconds is the shortest that k6 lets a scenario be.
	shortestMilliseconds = 1000
	// mostRequests keeps a step's schedule within the generator's memory.
	mostRequests = 4_000_000
)

// checkPlan says what the script could not drive.
func checkPlan(plan loadplan.Plan) error {
	if plan.Version != loadplan.Version {
		return fmt.Errorf("the plan is of version %d and this generator drives version %d; use images of one release", plan.Version, loadplan.Version)
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
			return fmt.Errorf("step %d of the plan starts at %d ms; it may start at %d ms, %d ms after the one before it ends",
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
		return fmt.Errorf("its kind %q is unknown", step.Kind)
	}
	switch {
	case step.Callers < 1:
		return fmt.Errorf("it has %d callers and needs one at least", step.Callers)
	case step.CountedMilliseconds < 1 || min(step.SettleMilliseconds, step.DrainMilliseconds) < 0:
		return errors.New("its counted part must be longer than 0, and no part shorter")
	case step.EndMilliseconds()-step.StartMilliseconds < shortestMilliseconds:
		return fmt.Errorf("it must last %d ms at least in all", shortestMilliseconds)
	}
	return nil
}

func checkArrivals(step loadplan.Step) error {
	if step.Arrivals != "Poisson" && step.Arrivals != "Uniform" {
		return fmt.Errorf("its arrivals %q are unknown", step.Arrivals)
	}
	if min(step.SettleRequests, step.Requests) < 0 || step.SettleRequests+step.Requests > mostRequests {
		return fmt.Errorf("it has %d and %d logins; none may be below 0, nor both above %d", step.SettleRequests, step.Requests, mostRequests)
	}
	return nil
}
