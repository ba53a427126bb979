package lifecycle

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Standing says whether a trial has any business being there.
type Standing int

const (
	// Planned means that a living experiment owns the trial and plans it exactly so.
	Planned Standing = iota
	// NotPlanned means that the trial's owner is no experiment, or plans something else.
	NotPlanned
	// ExperimentGone means that the owner was deleted, or is being deleted.
	ExperimentGone
)

// Observation is what was seen of a trial's world in one pass.
type Observation struct {
	// Now is the time of the pass.
	Now time.Time
	// StartTimeout is how long an attempt may wait for what it can't change.
	StartTimeout time.Duration
	// Trial as it stands in the cluster.
	Trial *v1alpha1.SizingTrial
	// Standing says whether the trial has any business being there.
	Standing Standing
	// Suspended and Cancelled are the experiment's wishes, or the trial's own
	// spec.suspend; an experiment that is overdue counts as cancelled.
	Suspended, Cancelled bool
	// Reference is the reference speed of the trial's node pool as the experiment
	// knows it so far; zero where no trial has ended there.
	Reference speed.Reference
	// Children of the current attempt.
	Children Children
	// Leftovers are the children of the trial that no current attempt needs, as
	// kind and name.
	Leftovers []string
	// OthersUnderLoad names the trials whose generators run now, looked up
	// without a cache. Only filled when a load is about to begin.
	OthersUnderLoad []string
	// MaxUnderLoad is how many trials may be under load at one time.
	MaxUnderLoad int
	// GeneratorCPULimit is the operator's, for trials that name none.
	GeneratorCPULimit string
	// Oracle is asked what to expect of a variant, and what its numbers are worth.
	Oracle Oracle
}

// Oracle is what takes the operator seconds of CPU time rather than none. It
// stands apart so that whoever plays hundreds of trials need not ask again what
// has been answered; the same questions always have the same answers.
type Oracle struct {
	// Expect says what the model expects before any load.
	Expect func(v1alpha1.SizingTrialSpec, v1alpha1.TrialCalibration) *v1alpha1.Prediction
	// Judge says what a run comes to.
	Judge func(verdict.Input) verdict.Judgement
}

// Simulation is the oracle that simulates each question afresh.
func Simulation() Oracle { return Oracle{Expect: prediction.Before, Judge: verdict.Judge} }

// Children are the objects of the current attempt, nil where absent.
type Children struct {
	Deployment *appsv1.Deployment
	Service    *corev1.Service
	Job        *batchv1.Job
	// Policies tells how many of the two NetworkPolicies exist.
	Policies int
	// Foreign names an object that has a child's name and another owner.
	Foreign string
	// ServicePods and GeneratorPods of this attempt, by name.
	ServicePods, GeneratorPods []corev1.Pod
	// JobRefusal is the newest FailedCreate message of a Job that has no pod.
	JobRefusal string
}

// halted tells whether the load has to go, for a while or for good.
func (o *Observation) halted() bool { return o.Cancelled || o.Suspended }

// attempt is the attempt that goes on, or nil.
func (o *Observation) attempt() *v1alpha1.Attempt { return Current(&o.Trial.Status) }

// Current is the attempt that goes on, or nil.
func Current(status *v1alpha1.SizingTrialStatus) *v1alpha1.Attempt {
	if len(status.Attempts) == 0 {
		return nil
	}
	last := &status.Attempts[len(status.Attempts)-1]
	if last.EndTime != nil {
		return nil
	}
	return last
}

// Spent counts the attempts that ended and used up one of the allowed number.
func Spent(status *v1alpha1.SizingTrialStatus) int32 {
	var spent int32
	for _, a := range status.Attempts {
		if a.EndTime != nil && a.Outcome != v1alpha1.OutcomeInterrupted {
			spent++
		}
	}
	return spent
}

// Decided tells whether the trial needs no further attempt: it has a result to
// keep, has used up its attempts, or was cancelled.
func Decided(trial *v1alpha1.SizingTrial) bool {
	status := &trial.Status
	if n := len(status.Attempts); n > 0 && status.Attempts[n-1].Outcome == v1alpha1.OutcomeKept {
		return true
	}
	return Current(status) == nil && Spent(status) >= trial.Spec.Attempts
}

// longestPlan is how long an experiment may take: 24 hours, which the API allows for its
// plan, and one hour for verifications.
const longestPlan = 25 * time.Hour

// Overdue tells whether an experiment has taken longer than any plan may. What
// it has measured by then is its answer.
func Overdue(experiment *v1alpha1.SizingExperiment, now time.Time) bool {
	begun := experiment.Status.StartTime
	return begun != nil && now.Sub(begun.Time) > longestPlan
}
