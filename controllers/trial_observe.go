package controllers

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// observe collects the input of lifecycle.Decide. It reads the trial's children from the reader.
func (r *TrialReconciler) observe(ctx context.Context, reader client.Reader, trial *v1beta1.SizingTrial) (*lifecycle.Observation, error) {
	seen := &lifecycle.Observation{
		Settings: lifecycle.Settings{
			StartTimeout: r.StartTimeout, MaxUnderLoad: r.MaxConcurrent, Paused: r.Paused, GeneratorCPULimit: r.Settings.GeneratorCPULimit,
			ImageMirrors: r.Settings.Pods.ImageMirrors,
		},
		Now: r.Clock.Now(), Trial: trial, Suspended: r.Paused, NoTurn: trial.Spec.Suspend,
	}
	seen.Needs, _ = r.Settings.NeedsOf(trial.Spec) // an attempt that can't be built says why
	if err := r.observeOwnership(ctx, seen); err != nil {
		return nil, err
	}
	children, foreign, err := listChildren(ctx, reader, trial)
	if err != nil {
		return nil, err
	}
	for _, object := range foreign {
		seen.Foreign = append(seen.Foreign, nameOf(object))
		if pod, is := object.(*corev1.Pod); is && isStray(pod) && lifecycle.MayLoad(pod, seen.Now) {
			seen.Strays = append(seen.Strays, pod.Name)
		}
	}
	attempt := lifecycle.Current(&trial.Status)
	if attempt == nil || seen.Ownership != lifecycle.Planned {
		r.noteLeftovers(seen, children)
		return seen, nil
	}
	current, left := split(seen, children)
	r.noteLeftovers(seen, left)
	sortChildren(&seen.Children, current)
	seen.Outdated = attempt.Settings != r.digest(trial, attempt)
	return seen, r.observeRefusal(ctx, seen)
}

// observeOwnership finds the experiment and checks whether it plans this trial.
func (r *TrialReconciler) observeOwnership(ctx context.Context, seen *lifecycle.Observation) error {
	trial := seen.Trial
	experiment, err := r.experimentOf(ctx, trial)
	switch {
	case err != nil:
		return err
	case ownerOf(trial) == nil:
		seen.Ownership = lifecycle.NotPlanned
		return nil
	case experiment == nil:
		seen.Ownership = lifecycle.ExperimentGone
		return nil
	case !plans(experiment, trial) && !replaceable(experiment, trial):
		seen.Ownership = lifecycle.NotPlanned
	}
	if experiment.Status.StartTime == nil && trial.Status.StartTime == nil {
		seen.NoTurn = true // the spec may still be edited
	}
	seen.TimeLeft = lifecycle.TimeLeft(experiment, seen.Now)
	seen.Cancelled = ptr.Deref(experiment.Spec.Cancel, false) || lifecycle.Overdue(experiment, seen.Now) || hasEnded(experiment)
	seen.Suspended = seen.Suspended || ptr.Deref(experiment.Spec.Suspend, false)
	seen.Reference = referenceIn(experiment.Status.Speed, trial)
	return nil
}

// referenceIn returns the reference speed of a trial's node pool, as the CPU time of one hash at cost 8
// in microseconds; 0 if no trial has fixed it.
func referenceIn(pools []v1beta1.PoolSpeed, trial *v1beta1.SizingTrial) int64 {
	if pool := speed.InPool(pools, speed.NodePool(trial.Spec.Variant)); pool != nil {
		return pool.HashMicrosecondsAtCost8
	}
	return 0
}

// fixReference makes sure that all trials on a node pool are judged by one reference speed. The first
// that ends fixes it, and the status of the experiment may not have it yet. So a trial that would fix it
// looks for another one that did, without a cache, and no trial of the same experiment is judged before
// its status is written, when the returned function is to be called.
func (r *TrialReconciler) fixReference(ctx context.Context, seen *lifecycle.Observation) (release func(), err error) {
	if seen.Reference > 0 {
		return func() {}, nil
	}
	experiment := ownerUID(seen.Trial)
	lock := &r.judging[crc32.ChecksumIEEE([]byte(experiment))%uint32(len(r.judging))]
	lock.Lock()
	release = lock.Unlock
	siblings := &v1beta1.SizingTrialList{}
	if err := r.Live.List(ctx, siblings, client.InNamespace(seen.Trial.Namespace)); err != nil {
		return release, err
	}
	ours := slices.DeleteFunc(siblings.Items, func(other v1beta1.SizingTrial) bool { return ownerUID(&other) != experiment })
	seen.Reference = referenceIn(speed.Pools(matrix.Timed(ours)), seen.Trial)
	return release, nil
}

// experimentOf returns the experiment that owns a trial, or nil if it is deleted. Refusing a trial
// is final, so it looks without the cache if the cached experiment does not plan the trial: a cache
// that is behind may lack the experiment, or a verification, which is planned in the status.
func (r *TrialReconciler) experimentOf(ctx context.Context, trial *v1beta1.SizingTrial) (*v1beta1.SizingExperiment, error) {
	cached, err := experimentIn(ctx, r.Client, trial)
	if err != nil || cached != nil && plans(cached, trial) {
		return cached, err
	}
	return experimentIn(ctx, r.Live, trial)
}

// ownerOf returns the reference to the experiment that a trial claims to be of, or nil.
func ownerOf(trial *v1beta1.SizingTrial) *metav1.OwnerReference {
	owner := metav1.GetControllerOfNoCopy(trial)
	if owner == nil || owner.Kind != experimentKind || owner.APIVersion != v1beta1.GroupVersion.String() {
		return nil
	}
	return owner
}

// experimentIn reads the experiment that owns a trial. It returns nil if the trial has no owner, and if the
// experiment does not exist or is being deleted.
func experimentIn(ctx context.Context, reader client.Reader, trial *v1beta1.SizingTrial) (*v1beta1.SizingExperiment, error) {
	owner := ownerOf(trial)
	if owner == nil {
		return nil, nil
	}
	experiment := &v1beta1.SizingExperiment{}
	err := reader.Get(ctx, client.ObjectKey{Namespace: trial.Namespace, Name: owner.Name}, experiment)
	if err != nil || experiment.UID != owner.UID || experiment.DeletionTimestamp != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return experiment, nil
}

// plans reports whether the experiment plans exactly this trial.
func plans(experiment *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) bool {
	planned, err := matrix.Plan(experiment, matrix.Seed(experiment))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(planned, func(p matrix.PlannedTrial) bool {
		return p.Name == trial.Name && matrix.SamePlan(p.Spec, trial.Spec)
	})
}

// replaceable reports whether a trial that is not planned is deleted or replaced by the experiment's own
// pass: the operator created it for a spec that was edited before the experiment began.
func replaceable(experiment *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) bool {
	return experiment.Status.StartTime == nil && trial.Status.StartTime == nil && createdFor(experiment, trial)
}

// createdFor reports whether the operator created a trial for an experiment. What somebody creates by hand
// lacks the label, and is never deleted.
func createdFor(experiment *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) bool {
	return trial.Labels[v1beta1.LabelExperimentUID] == string(experiment.UID)
}

// listChildren lists every object in the trial's namespace that carries the trial's UID, pods
// included: those that belong to the trial, and foreign ones.
func listChildren(ctx context.Context, reader client.Reader, trial *v1beta1.SizingTrial) (children, foreign []client.Object, err error) {
	var labelled []client.Object
	for _, list := range []client.ObjectList{
		&appsv1.DeploymentList{}, &corev1.ServiceList{}, &networkingv1.NetworkPolicyList{}, &batchv1.JobList{}, &corev1.PodList{},
	} {
		err = reader.List(ctx, list, client.InNamespace(trial.Namespace),
			client.MatchingLabels{v1beta1.LabelTrialUID: string(trial.UID)})
		if err != nil {
			return nil, nil, err
		}
		labelled = append(labelled, itemsOf(list)...)
	}
	jobs := jobsOf(trial, labelled)
	for _, object := range labelled {
		if belongs(object, trial, jobs) {
			children = append(children, object)
		} else {
			foreign = append(foreign, object)
		}
	}
	return children, foreign, nil
}

// sortChildren puts the current attempt's children where they belong.
func sortChildren(children *lifecycle.Children, current []client.Object) {
	for _, child := range current {
		switch child := child.(type) {
		case *appsv1.Deployment:
			if child.Labels[v1beta1.LabelCompanion] != "" {
				children.Companions = append(children.Companions, *child)
			} else {
				children.Deployment = child
			}
		case *corev1.Service:
			children.Service = child
		case *networkingv1.NetworkPolicy:
			children.Policies++
		case *batchv1.Job:
			children.Job = child
		case *corev1.Pod:
			switch {
			case jobOf(child) != "":
				children.GeneratorPods = append(children.GeneratorPods, *child)
			case child.Labels[v1beta1.LabelCompanion] != "":
				children.CompanionPods = append(children.CompanionPods, *child)
			default:
				children.ServicePods = append(children.ServicePods, *child)
			}
		}
	}
	byName := func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(children.ServicePods, byName)
	slices.SortFunc(children.GeneratorPods, byName)
	slices.SortFunc(children.CompanionPods, byName)
}

func (r *TrialReconciler) noteLeftovers(seen *lifecycle.Observation, left []client.Object) {
	for _, child := range left {
		refusal := r.refusals.of(seen.Trial.UID, child.GetUID())
		seen.Leftovers = append(seen.Leftovers, lifecycle.NewLeftover(nameOf(child), child, &seen.Trial.Status, refusal, seen.Now))
	}
}

// observeRefusal reads why a Job has no pod. The Job controller reports that only in an event.
func (r *TrialReconciler) observeRefusal(ctx context.Context, seen *lifecycle.Observation) error {
	job := seen.Children.Job
	if job == nil || len(seen.Children.GeneratorPods) > 0 {
		return nil
	}
	list := &corev1.EventList{}
	err := r.Live.List(ctx, list, client.InNamespace(job.Namespace),
		client.MatchingFields{"involvedObject.uid": string(job.UID), "reason": "FailedCreate"})
	if err != nil {
		return fmt.Errorf("reading the events of Job %s: %w", job.Name, err)
	}
	var newest metav1.Time
	for _, event := range list.Items {
		at := event.LastTimestamp
		if at.IsZero() {
			at = metav1.NewTime(event.EventTime.Time)
		}
		if !at.Before(&newest) {
			newest, seen.Children.JobRefusal = at, event.Message
		}
	}
	return nil
}
