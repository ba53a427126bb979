package lifecycle

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Action is what to do next with a trial.
type Action string

const (
	// Rest means that nothing is to be done until something changes.
	Rest Action = "Rest"
	// Refuse the trial for good: no experiment plans it.
	Refuse Action = "Refuse"
	// Begin a new attempt.
	Begin Action = "Begin"
	// Deploy the login service: create what is absent.
	Deploy Action = "Deploy"
	// Wait for something that is in progress or may still succeed.
	Wait Action = "Wait"
	// Record the calibration and the pods that will take the load.
	Record Action = "Record"
	// Conclude the attempt without load: no rate can meet the objective.
	Conclude Action = "Conclude"
	// Load the service: create the k6 Job.
	Load Action = "Load"
	// Harvest the result of the generator: read it and judge it.
	Harvest Action = "Harvest"
	// Break off the attempt: it has no usable numbers.
	Break Action = "Break"
	// Interrupt the attempt: the experiment was suspended or cancelled, or others were under
	// load for too long.
	Interrupt Action = "Interrupt"
	// Sweep deletes everything that the trial created.
	Sweep Action = "Sweep"
	// Release the trial's turn: it ended, and its objects are deleted or can put no more load on
	// the cluster.
	Release Action = "Release"
)

// Decision is an action with its reason, for the status and for events.
type Decision struct {
	Action  Action
	Reason  string
	Message string
	// After is when a trial that rests is looked at again without an event; 0 means never.
	After time.Duration
	// calibrating means that the login service is calibrated meanwhile. That is work and not
	// waiting; only the attempt's deadline limits it.
	calibrating bool
}

// Again returns when to look at the trial again if no event comes first, or 0 for never. Every
// action but the last is followed by another one, and the event that would call for it can be lost.
func (d Decision) Again() time.Duration {
	switch d.Action {
	case Rest, Refuse, Release:
		return d.After
	default:
		return pollInterval
	}
}

// What a trial does during several actions in a row. A message for each action would be a write
// of the trial's status, and one of its experiment's, that is replaced within a second.
const (
	preparing = "Creating and calibrating the login service"
	loading   = "Running the load on the login service with k6"
	deleting  = "Deleting the objects of the last attempt"
)

// pollInterval is how often a trial that does something is looked at without an event. A time
// limit, for example, sends none.
const pollInterval = 5 * time.Second

// Decide returns what to do next. Its cases are in order of precedence: each one is a state
// and what follows it.
func Decide(o *Observation) Decision {
	running := o.attempt() != nil
	switch {
	case o.deletable():
		return sweep(o)
	case meta.IsStatusConditionTrue(o.Trial.Status.Conditions, v1alpha1.ConditionReleased):
		return Decision{Action: Rest}
	case o.Standing != Planned:
		return dismiss(o)
	case running && o.halted():
		return interrupt(o)
	case running:
		return continueAttempt(o)
	default:
		return betweenAttempts(o)
	}
}

// betweenAttempts returns what follows an attempt, or comes before the first.
func betweenAttempts(o *Observation) Decision {
	switch {
	case o.sweeping():
		return sweep(o)
	case o.Cancelled || Decided(o.Trial):
		return Decision{Action: Release}
	case o.Suspended:
		// The end of the experiment's time is not an event.
		return Decision{Action: Rest, Reason: v1alpha1.ReasonWaitingForTurn, After: o.TimeLeft + time.Second}
	case o.outnumbered():
		return waitForOthers(o)
	default:
		return Decision{Action: Begin, Reason: v1alpha1.ReasonDeploying, Message: preparing}
	}
}

// continueAttempt returns the next step of the current attempt. It first checks what breaks
// the attempt off, and then its stages from the last to the first.
func continueAttempt(o *Observation) Decision {
	if broken := breakage(o); broken != nil {
		return *broken
	}
	switch {
	case o.Children.Job != nil:
		return underLoad(o)
	case !deployed(o):
		return Decision{Action: Deploy, Reason: v1alpha1.ReasonDeploying, Message: preparing}
	default:
		return beforeLoad(o)
	}
}

// deployed reports whether everything exists and is on record. An operator that ended between
// creating the Deployment and writing the status has not recorded the Deployment's UID yet.
func deployed(o *Observation) bool {
	c := o.Children
	return o.attempt().ServiceUID != "" && c.Deployment != nil && c.Service != nil && c.Policies == 2
}

func sweep(o *Observation) Decision {
	d := Decision{
		Action: Sweep, Reason: v1alpha1.ReasonCleaningUp,
		Message: deleting,
	}
	if stuck := o.StuckLeftovers(); len(stuck) > 0 {
		d.Message += ". Their node does not answer, or a finalizer keeps them: " + strings.Join(stuck, ", ")
	}
	return d
}

// outnumbered reports whether as many other trials are under load as there may be.
func (o *Observation) outnumbered() bool {
	return len(o.OthersUnderLoad) > 0 && len(o.OthersUnderLoad) >= o.MaxUnderLoad
}

// waitForOthers waits until fewer trials are under load.
func waitForOthers(o *Observation) Decision {
	return *wait(v1alpha1.ReasonWaitingForOthers, "Another trial is still under load: "+strings.Join(o.OthersUnderLoad, ", "))
}

// dismiss deletes what an unplanned trial created, and then refuses the trial for good.
func dismiss(o *Observation) Decision {
	if o.sweeping() {
		return sweep(o)
	}
	if o.Standing == ExperimentGone {
		return Decision{
			Action: Refuse, Reason: v1alpha1.ReasonExperimentGone,
			Message: "The experiment of this trial was deleted",
		}
	}
	return Decision{
		Action: Refuse, Reason: v1alpha1.ReasonNotPlanned,
		Message: "No experiment plans this trial; create a SizingExperiment, and the operator creates its trials",
	}
}

func interrupt(o *Observation) Decision {
	if o.Cancelled {
		return Decision{Action: Interrupt, Reason: v1alpha1.ReasonCancelled, Message: "The experiment was cancelled"}
	}
	return Decision{
		Action: Interrupt, Reason: v1alpha1.ReasonSuspended,
		Message: "The experiment was suspended; this trial starts again when the experiment resumes",
	}
}
