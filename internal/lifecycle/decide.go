package lifecycle

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Action is what to do next with a trial.
type Action string

const (
	// Rest means that there is nothing to do until something changes.
	Rest Action = "Rest"
	// Refuse the trial for good: it has no business being there.
	Refuse Action = "Refuse"
	// Begin a new attempt.
	Begin Action = "Begin"
	// Deploy the login service: create what is absent.
	Deploy Action = "Deploy"
	// Wait for something that goes on or may yet come right.
	Wait Action = "Wait"
	// Record the calibration and the pods that the load will meet.
	Record Action = "Record"
	// Conclude the attempt without load: no rate can meet the objective.
	Conclude Action = "Conclude"
	// Load the service: create the k6 Job.
	Load Action = "Load"
	// Harvest the result that the generator left.
	Harvest Action = "Harvest"
	// Break the attempt off: it gives no numbers.
	Break Action = "Break"
	// Interrupt the attempt: the experiment was suspended or cancelled.
	Interrupt Action = "Interrupt"
	// Sweep everything that the trial made.
	Sweep Action = "Sweep"
	// Release the trial's turn: it ended and nothing of it is left.
	Release Action = "Release"
)

// Decision is an action with its reason, for the status and for events.
type Decision struct {
	Action  Action
	Reason  string
	Message string
	// After is when to look again, should nothing have changed by then.
	After time.Duration
}

// look is how often to look again at what sends no events: a passing time limit.
const look = 5 * time.Second

// Decide says what to do next. The order of its lines is the order of
// precedence; each line is a state and what follows it.
func Decide(o *Observation) Decision {
	running, swept := o.attempt() != nil, len(o.Leftovers) == 0
	switch {
	case meta.IsStatusConditionTrue(o.Trial.Status.Conditions, v1alpha1.ConditionReleased):
		return Decision{Action: Rest}
	case o.Standing != Planned:
		return dismiss(o)
	case running && o.halted():
		return interrupt(o)
	case running:
		return goOn(o)
	case !swept:
		return sweep(o)
	case o.Cancelled || Decided(o.Trial):
		return Decision{Action: Release}
	case o.Suspended:
		return Decision{Action: Rest, Reason: v1alpha1.ReasonWaitingForTurn}
	default:
		return Decision{Action: Begin}
	}
}

// goOn says how the attempt under way goes on: first what breaks it off, then
// its stages from the last to the first.
func goOn(o *Observation) Decision {
	if broken := breakage(o); broken != nil {
		return *broken
	}
	switch {
	case o.Children.Job != nil:
		return underLoad(o)
	case !deployed(o):
		return Decision{Action: Deploy, Reason: v1alpha1.ReasonDeploying, Message: "Creating the login service"}
	default:
		return beforeLoad(o)
	}
}

// deployed tells whether everything is there and on record: an operator that
// ended in between has not written down yet which Deployment it is.
func deployed(o *Observation) bool {
	c := o.Children
	return o.attempt().ServiceUID != "" && c.Deployment != nil && c.Service != nil && c.Policies == 2
}

func sweep(o *Observation) Decision {
	return Decision{
		Action: Sweep, Reason: v1alpha1.ReasonCleaningUp, After: look,
		Message: fmt.Sprintf("Removing what the last attempt made; objects left: %d", len(o.Leftovers)),
	}
}

// dismiss takes away what a trial made that has no business being there, and
// then refuses it for good.
func dismiss(o *Observation) Decision {
	if len(o.Leftovers) > 0 {
		return sweep(o)
	}
	if o.Standing == ExperimentGone {
		return Decision{
			Action: Refuse, Reason: v1alpha1.ReasonExperimentGone,
			Message: "The experiment that planned this trial is gone",
		}
	}
	return Decision{
		Action: Refuse, Reason: v1alpha1.ReasonNotPlanned,
		Message: "No experiment plans this trial; create a SizingExperiment, and the operator will create its trials",
	}
}

func interrupt(o *Observation) Decision {
	if o.Cancelled {
		return Decision{Action: Interrupt, Reason: v1alpha1.ReasonCancelled, Message: "The experiment was cancelled"}
	}
	return Decision{
		Action: Interrupt, Reason: v1alpha1.ReasonSuspended,
		Message: "The experiment was suspended; this trial is measured afresh when it resumes",
	}
}
