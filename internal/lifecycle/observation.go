package lifecycle

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Ownership states whether an experiment plans a trial.
type Ownership int

const (
	// Planned means that an existing experiment owns the trial and plans exactly this spec.
	Planned Ownership = iota
	// NotPlanned means that the trial's owner is not an experiment, or plans something else.
	NotPlanned
	// ExperimentGone means that the owner was deleted, or is being deleted.
	ExperimentGone
)

// Settings are the operator's settings that a decision depends on.
type Settings struct {
	// StartTimeout is how long an attempt may wait for what it can't change.
	StartTimeout time.Duration
	// MaxUnderLoad is the largest number of trials under load at the same time.
	MaxUnderLoad int
	// Paused means that an administrator has paused the operator.
	Paused bool
	// GeneratorCPULimit is the operator's default, for trials that set no limit.
	GeneratorCPULimit string
	// ImageMirrors are where a pod may take its images from instead.
	ImageMirrors []objects.ImageMirror
}

// Observation is what one pass observed of a trial and its surroundings.
type Observation struct {
	Settings
	// Now is the time of the pass.
	Now time.Time
	// Trial as it is in the cluster.
	Trial *v1beta1.SizingTrial
	// Ownership states whether an experiment plans the trial.
	Ownership Ownership
	// Suspended and Cancelled come from the experiment. While the operator is paused, everything is
	// suspended; an experiment that is overdue or has ended counts as cancelled.
	Suspended, Cancelled bool
	// NoTurn means that the trial has no turn: it waits for one, or it was taken back.
	NoTurn bool
	// TimeLeft is how long the experiment may still take. It is negative if that is overdue.
	TimeLeft time.Duration
	// Reference is the reference speed of the trial's node pool, as the CPU time of one hash at cost 8
	// in microseconds. It is 0 until a trial has ended there.
	Reference int64
	// Children of the current attempt.
	Children Children
	// Leftovers are the trial's children that no current attempt needs.
	Leftovers []Leftover
	// Strays are generators of the trial that no Job controls any more and that may still load its
	// service, by name.
	Strays []string
	// Needs is what an attempt requests; zero if that is unknown.
	Needs objects.Needs
	// Foreign are the names of objects that have the trial's labels and do not belong to it.
	Foreign []string
	// Planned is what the pods are compared with. It is filled only if an attempt is about to be
	// judged.
	Planned Templates
	// Outdated means that the operator would create other pods for the current attempt than those
	// that it began with, because it was upgraded or its settings have changed.
	Outdated bool
	// OthersUnderLoad describes the trials whose generators run now, read without a cache. It is
	// filled only if an attempt or a load is about to begin.
	OthersUnderLoad []string
}

// Templates are the pods of an attempt as the operator would create them now; nil if that is
// not known.
type Templates struct {
	Service, Generator *corev1.PodSpec
	// Companions are those of the companions, by name.
	Companions map[string]*corev1.PodSpec
}

// Model holds the functions that simulate, which takes seconds of CPU time. Tests that run
// hundreds of trials cache their results: the same input always has the same result.
type Model struct {
	// Predict returns what the model predicts before the load.
	Predict func(v1beta1.SizingTrialSpec, handover.Calibration) *v1beta1.Prediction
	// Judge returns the verdict on a run and its numbers.
	Judge func(verdict.Input) verdict.Judgement
}

// Simulation returns the Model that simulates each time, without a cache.
func Simulation() Model { return Model{Predict: model.Before, Judge: verdict.Judge} }

// Children are the objects of the current attempt. A missing one is nil.
type Children struct {
	Deployment *appsv1.Deployment
	Service    *corev1.Service
	Job        *batchv1.Job
	// Policies is the number of the attempt's NetworkPolicies that exist.
	Policies int
	// Companions are the Deployments of the service's companions, and CompanionPods their pods.
	Companions    []appsv1.Deployment
	CompanionPods []corev1.Pod
	// ServicePods and GeneratorPods of this attempt, by name.
	ServicePods, GeneratorPods []corev1.Pod
	// JobRefusal is the newest FailedCreate message of a Job without a pod.
	JobRefusal string
}

// attempt returns the current attempt, or nil.
func (o *Observation) attempt() *v1beta1.Attempt { return Current(&o.Trial.Status) }

// Current returns the attempt that has not ended, or nil.
func Current(status *v1beta1.SizingTrialStatus) *v1beta1.Attempt {
	if len(status.Attempts) == 0 {
		return nil
	}
	last := &status.Attempts[len(status.Attempts)-1]
	if last.EndTime != nil {
		return nil
	}
	return last
}

// Spent returns the number of ended attempts that count towards spec.attempts.
func Spent(status *v1beta1.SizingTrialStatus) int32 {
	var spent int32
	for _, a := range status.Attempts {
		if a.EndTime != nil && a.Outcome != v1beta1.OutcomeInterrupted {
			spent++
		}
	}
	return spent
}

// hopeless reports whether another attempt would fail for the same reason, which is in how the
// user's own login service and its login are described.
func hopeless(reason string) bool {
	return reason == handover.WrongPasswordAccepted || reason == handover.HashMismatch
}

// Decided reports whether the trial needs no further attempt: it has a result to keep, has used up
// its attempts, or can't succeed.
func Decided(trial *v1beta1.SizingTrial) bool {
	status := &trial.Status
	if n := len(status.Attempts); n > 0 {
		if last := status.Attempts[n-1]; last.Outcome == v1beta1.OutcomeKept || last.EndTime != nil && hopeless(last.Reason) {
			return true
		}
	}
	return Current(status) == nil && Spent(status) >= trial.Spec.Attempts
}

// longestPlan is the time limit of an experiment, with an hour for verifications.
const longestPlan = loadplan.LongestExperiment + time.Hour

// Overdue reports whether an experiment has exceeded its time limit. Its results up to then count.
func Overdue(experiment *v1beta1.SizingExperiment, now time.Time) bool {
	return TimeLeft(experiment, now) < 0
}

// TimeLeft returns how long an experiment may still take, without the time for which it is
// suspended. It is negative if the time limit is exceeded.
func TimeLeft(experiment *v1beta1.SizingExperiment, now time.Time) time.Duration {
	status := &experiment.Status
	if status.StartTime == nil {
		return longestPlan
	}
	return longestPlan - now.Sub(status.StartTime.Time) + suspendedFor(status, now)
}

// suspendedFor returns for how long an experiment was suspended since it began. A suspension that
// has just ended, and was not noted yet, counts until now.
func suspendedFor(status *v1beta1.SizingExperimentStatus, now time.Time) time.Duration {
	total := time.Duration(status.SuspendedSeconds) * time.Second
	if status.SuspendTime != nil {
		total += now.Sub(status.SuspendTime.Time)
	}
	return total
}

// NoteSuspension writes into the status of an experiment that has begun since when it is suspended,
// and for how long it was.
func NoteSuspension(experiment *v1beta1.SizingExperiment, now time.Time) {
	status, suspended := &experiment.Status, ptr.Deref(experiment.Spec.Suspend, false)
	switch {
	case suspended && status.StartTime != nil && status.SuspendTime == nil:
		status.SuspendTime = &metav1.Time{Time: now}
	case !suspended && status.SuspendTime != nil:
		status.SuspendedSeconds = int64(suspendedFor(status, now) / time.Second)
		status.SuspendTime = nil
	}
}
