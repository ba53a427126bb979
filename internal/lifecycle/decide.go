package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/queue"
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
	// Interrupt the attempt: the experiment was suspended or cancelled, others were under load for
	// too long, or the operator has changed.
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
	// After is when a trial that rests, or only retries, is looked at again without an event; 0 means
	// never for the former.
	After time.Duration
	// calibrating means that the start timeout does not apply.
	calibrating bool
	// since is when the trial began to wait for something that neither it nor another load does; zero
	// if it does not wait for such a thing.
	since time.Time
	// keepsWaiting means that nothing shows when the trial could go on, so that it tries again later.
	keepsWaiting bool
	// yields means that others may have the turn at once.
	yields bool
}

// Again returns when to look at the trial again if no event comes first, or 0 for never. Every
// action but the last is followed by another one, and the event that would call for it can be lost.
func (d Decision) Again() time.Duration {
	switch d.Action {
	case Rest, Refuse, Release:
		return d.After
	case Sweep:
		return max(d.After, pollInterval)
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
	case queue.Released(o.Trial):
		return afterRelease(o)
	case running && o.halted():
		return interrupt(o)
	case o.Ownership != Planned:
		return dismiss(o)
	case running && o.NoTurn:
		return withoutTurn(o)
	case running:
		return continueAttempt(o)
	default:
		return betweenAttempts(o)
	}
}

func (o *Observation) halted() bool { return o.Ownership != Planned || o.Cancelled || o.Suspended }

// betweenAttempts returns what follows an attempt, or comes before the first.
func betweenAttempts(o *Observation) Decision {
	switch {
	case o.sweeping():
		return sweep(o)
	case o.Cancelled || Decided(o.Trial):
		return Decision{Action: Release}
	case o.Suspended || o.NoTurn:
		return waitForTurn(o)
	case o.disturbed():
		return waitForQuiet(o)
	case o.outnumbered():
		return waitForOthers(o)
	default:
		return Decision{Action: Begin, Reason: v1beta1.ReasonDeploying, Message: preparing}
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
	case o.Outdated:
		return Decision{
			Action: Interrupt, Reason: v1beta1.ReasonOperatorChanged,
			Message: "The operator or its settings changed before the load began; this trial starts again",
		}
	case deployed(o):
		return beforeLoad(o)
	default:
		if waiting := deploys(o); waiting != nil {
			return waitOrBreak(o, *waiting, waitingSince(o))
		}
		return Decision{Action: Deploy, Reason: v1beta1.ReasonDeploying, Message: preparing}
	}
}

// deploys returns what the service waits for before it can be created, or nil if there is something to create.
func deploys(o *Observation) *Decision {
	if !companionsDeployed(o) {
		return nil
	}
	return companionsWait(o)
}

// waitForTurn rests until the trial is given its turn. The end of the experiment's time is not an event,
// and neither is a turn of a trial that could not be told that it had none.
func waitForTurn(o *Observation) Decision {
	d := Decision{Action: Rest, Reason: v1beta1.ReasonWaitingForTurn, After: o.TimeLeft + time.Second}
	if o.NoTurn && !o.Trial.Spec.Suspend {
		d.After = queue.Patience
	}
	if n := len(o.Trial.Status.Attempts); n > 0 && queue.Waits(o.Trial) && !o.Suspended {
		last := o.Trial.Status.Attempts[n-1]
		d.Reason, d.Message = last.Reason, last.Message // why it gave its turn back
	}
	return d
}

// withoutTurn returns what follows for an attempt whose turn was taken back because it waited for
// something other than its load. Until its load, its objects stay: the cluster goes on trying to start
// its pods, and when they start the trial can use a turn again. It then begins a new attempt, because a
// calibration beside somebody else's load does not count. A Job would load as soon as it can start, so
// it is deleted, and the trial tries again later.
func withoutTurn(o *Observation) Decision {
	if broken := breakage(o); broken != nil {
		return *broken
	}
	switch {
	case !loadEnd(o.Children).IsZero():
		return underLoad(o) // it ended while it had its turn
	case o.Children.Job != nil:
		return giveBack(o, generatorWaits(o))
	case len(o.attempt().ServicePodUIDs) > 0: // its Job was refused
		return giveBack(o, Decision{Reason: o.Trial.Status.Reason, Message: o.Trial.Status.Message})
	case !companionsDeployed(o) || !deployed(o) && len(o.Children.Companions) == 0:
		return Decision{Action: Deploy, Reason: v1beta1.ReasonDeploying, Message: preparing}
	}
	if waiting := podsWait(o); waiting != nil && !waiting.calibrating {
		return waitOrBreak(o, *waiting, waitingSince(o))
	}
	return Decision{
		Action: Interrupt, Reason: v1beta1.ReasonWaitingForTurn,
		Message: "The pods can start now; this trial starts again with its next turn",
	}
}

// podsWait returns what the pods that exist wait for, or nil.
func podsWait(o *Observation) *Decision {
	if waiting := companionsWait(o); waiting != nil || !deployed(o) {
		return waiting
	}
	return serviceWaits(o)
}

// giveBack ends an attempt that waits for its generator. Once the trial has waited for the start
// timeout in all its attempts of this kind, the attempt counts.
func giveBack(o *Observation, waiting Decision) Decision {
	attempts := o.Trial.Status.Attempts
	waited := o.Now.Sub(attempts[len(attempts)-1].StartTime.Time)
	for i := len(attempts) - 2; i >= 0 && attempts[i].Outcome == v1beta1.OutcomeInterrupted && attempts[i].Reason == waiting.Reason; i-- {
		waited += attempts[i].EndTime.Sub(attempts[i].StartTime.Time)
	}
	if waited >= o.StartTimeout {
		return *broken(waiting.Reason, "Gave up after %s. %s", waited.Round(time.Second), waiting.Message)
	}
	return Decision{
		Action: Interrupt, Reason: waiting.Reason, keepsWaiting: true,
		Message: "The turn was given to others meanwhile, and this trial tries again. " + waiting.Message,
	}
}

// deployed reports whether everything exists and is on record. An operator that ended between
// creating the Deployment and writing the status has not recorded the Deployment's UID yet.
func deployed(o *Observation) bool {
	c := o.Children
	policies := 2
	if len(objects.Companions(o.Trial.Spec)) > 0 {
		policies++
	}
	return o.attempt().ServiceUID != "" && c.Deployment != nil && c.Service != nil && c.Policies == policies && companionsDeployed(o)
}

func sweep(o *Observation) Decision {
	d := Decision{
		Action: Sweep, Reason: v1beta1.ReasonCleaningUp,
		Message: deleting, since: sweptSince(&o.Trial.Status),
	}
	if stuck := o.StuckLeftovers(); len(stuck) > 0 {
		d.Message += ". " + Kept + strings.Join(stuck, ", ")
	}
	return d
}

// Kept begins a message about objects that were not deleted in time.
const Kept = "Their node does not answer, a finalizer keeps them, or the cluster refuses their deletion: "

// afterRelease returns what follows the end of a trial. Objects that the cluster did not let the operator
// delete are tried again, once a minute.
func afterRelease(o *Observation) Decision {
	if slices.ContainsFunc(o.Leftovers, func(left Leftover) bool { return left.Deletable }) {
		return Decision{Action: Sweep, After: sweepAllowance}
	}
	return Decision{Action: Rest}
}

// outnumbered reports whether as many other trials are under load as there may be.
func (o *Observation) outnumbered() bool {
	return len(o.OthersUnderLoad) > 0 && len(o.OthersUnderLoad) >= o.MaxUnderLoad
}

// disturbedPause is how long a trial whose attempt was disturbed waits before the next one. Others go first meanwhile.
const disturbedPause = 30 * time.Second

// disturbed reports whether the last attempt was disturbed a moment ago.
func (o *Observation) disturbed() bool {
	attempts := o.Trial.Status.Attempts
	if len(attempts) == 0 {
		return false
	}
	last := attempts[len(attempts)-1]
	return last.Outcome == v1beta1.OutcomeInvalid && last.EndTime != nil && o.Now.Sub(last.EndTime.Time) < disturbedPause
}

func waitForQuiet(o *Observation) Decision {
	last := o.Trial.Status.Attempts[len(o.Trial.Status.Attempts)-1]
	return Decision{
		Action: Wait, Reason: v1beta1.ReasonDisturbed, yields: true,
		Message: fmt.Sprintf("The last attempt was disturbed (%s), and this trial is measured again; others may go first", last.Reason),
	}
}

func waitForOthers(o *Observation) Decision {
	return *wait(v1beta1.ReasonWaitingForOthers, "Another trial is still under load: "+strings.Join(o.OthersUnderLoad, ", "))
}

// dismiss deletes what an unplanned trial created, and then refuses the trial for good.
func dismiss(o *Observation) Decision {
	if o.sweeping() {
		return sweep(o)
	}
	reason, message := unplanned(o)
	return Decision{Action: Refuse, Reason: reason, Message: message}
}

func unplanned(o *Observation) (reason, message string) {
	if o.Ownership == ExperimentGone {
		return v1beta1.ReasonExperimentGone, "The experiment of this trial was deleted"
	}
	return v1beta1.ReasonNotPlanned, "No experiment plans this trial; create a SizingExperiment, and the operator creates its trials"
}

func interrupt(o *Observation) Decision {
	d := Decision{
		Action: Interrupt, Reason: v1beta1.ReasonSuspended,
		Message: "The experiment was suspended; this trial starts again when the experiment resumes",
	}
	switch {
	case o.Ownership != Planned:
		d.Reason, d.Message = unplanned(o)
	case o.Cancelled:
		d.Reason, d.Message = v1beta1.ReasonCancelled, "The experiment was cancelled"
	case o.Paused:
		d.Reason, d.Message = v1beta1.ReasonPaused, Paused
	}
	return d
}

// Paused says that an administrator has paused the operator.
const Paused = "The operator is paused by its administrator; trials start again when it is resumed"
