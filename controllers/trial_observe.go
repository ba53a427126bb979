package controllers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// observe collects the input of lifecycle.Decide. It reads the trial's children from the reader.
func (r *TrialReconciler) observe(ctx context.Context, reader client.Reader, trial *v1alpha1.SizingTrial) (*lifecycle.Observation, error) {
	seen := &lifecycle.Observation{
		Settings: lifecycle.Settings{StartTimeout: r.StartTimeout, MaxUnderLoad: r.MaxConcurrent, GeneratorCPULimit: r.Settings.GeneratorCPULimit},
		Now:      r.Clock.Now(), Trial: trial, Suspended: trial.Spec.Suspend,
	}
	if err := r.observeStanding(ctx, seen); err != nil {
		return nil, err
	}
	children, err := listChildren(ctx, reader, trial)
	if err != nil {
		return nil, err
	}
	attempt := lifecycle.Current(&trial.Status)
	if attempt == nil || seen.Standing != lifecycle.Planned {
		seen.Leftovers = names(children)
		return seen, nil
	}
	sortChildren(seen, children, attempt)
	if err := r.observeForeign(ctx, seen, names(children), attempt); err != nil {
		return nil, err
	}
	return seen, r.observeRefusal(ctx, seen)
}

// observeStanding finds the experiment and checks whether it plans this trial.
func (r *TrialReconciler) observeStanding(ctx context.Context, seen *lifecycle.Observation) error {
	trial := seen.Trial
	owner := metav1.GetControllerOf(trial)
	if owner == nil || owner.Kind != experimentKind || owner.APIVersion != v1alpha1.GroupVersion.String() {
		seen.Standing = lifecycle.NotPlanned
		return nil
	}
	experiment := &v1alpha1.SizingExperiment{}
	err := r.Get(ctx, client.ObjectKey{Namespace: trial.Namespace, Name: owner.Name}, experiment)
	switch {
	case apierrors.IsNotFound(err), err == nil && (experiment.UID != owner.UID || experiment.DeletionTimestamp != nil):
		seen.Standing = lifecycle.ExperimentGone
		return nil
	case err != nil:
		return err
	}
	seen.Cancelled = experiment.Spec.Cancel || lifecycle.Overdue(experiment, seen.Now)
	seen.Suspended = seen.Suspended || experiment.Spec.Suspend
	seen.Reference, _ = speed.InPool(experiment.Status.Speed, speed.NodePool(trial.Spec.Variant))
	if plans(experiment, trial) {
		return nil
	}
	return r.observePlan(ctx, seen, owner)
}

// observePlan checks without the cache whether the experiment plans the trial. Verifications
// are planned in the status, which the cache may not show yet, and refusing a trial is
// final.
func (r *TrialReconciler) observePlan(ctx context.Context, seen *lifecycle.Observation, owner *metav1.OwnerReference) error {
	trial, list := seen.Trial, &v1alpha1.SizingExperimentList{}
	err := r.Live.List(ctx, list, client.InNamespace(trial.Namespace), client.MatchingFields{"metadata.name": owner.Name})
	switch {
	case err != nil:
		return err
	case len(list.Items) == 0 || list.Items[0].UID != owner.UID:
		seen.Standing = lifecycle.ExperimentGone
	case !plans(&list.Items[0], trial):
		seen.Standing = lifecycle.NotPlanned
	}
	return nil
}

// plans reports whether the experiment plans exactly this trial.
func plans(experiment *v1alpha1.SizingExperiment, trial *v1alpha1.SizingTrial) bool {
	planned, err := matrix.Plan(experiment, matrix.Seed(experiment))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(planned, func(p matrix.PlannedTrial) bool {
		return p.Name == trial.Name && matrix.SamePlan(p.Spec, trial.Spec)
	})
}

// listChildren lists every object that carries the trial's UID, pods included.
func listChildren(ctx context.Context, reader client.Reader, trial *v1alpha1.SizingTrial) ([]client.Object, error) {
	var children []client.Object
	for _, list := range []client.ObjectList{
		&appsv1.DeploymentList{}, &corev1.ServiceList{}, &networkingv1.NetworkPolicyList{}, &batchv1.JobList{}, &corev1.PodList{},
	} {
		err := reader.List(ctx, list, client.InNamespace(trial.Namespace),
			client.MatchingLabels{v1alpha1.LabelTrialUID: string(trial.UID)})
		if err != nil {
			return nil, err
		}
		children = append(children, itemsOf(list)...)
	}
	return slices.DeleteFunc(children, func(child client.Object) bool { return !belongs(child, trial) }), nil
}

// belongs reports whether a labelled object is the trial's: its controller is the trial itself
// or, for pods, one of the trial's children. The label alone is not enough, because anyone can
// set it.
func belongs(child client.Object, trial *v1alpha1.SizingTrial) bool {
	owner := metav1.GetControllerOf(child)
	if owner == nil {
		return false
	}
	if _, pod := child.(*corev1.Pod); !pod {
		return owner.UID == trial.UID
	}
	attempt, err := strconv.ParseInt(child.GetLabels()[v1alpha1.LabelAttempt], 10, 32)
	return err == nil && strings.HasPrefix(owner.Name, objects.Child(trial.UID, int32(attempt)))
}

// sortChildren puts the current attempt's children into Children, and all others into
// Leftovers.
func sortChildren(seen *lifecycle.Observation, children []client.Object, attempt *v1alpha1.Attempt) {
	current := strconv.Itoa(int(attempt.Number))
	for _, child := range children {
		if child.GetLabels()[v1alpha1.LabelAttempt] != current {
			seen.Leftovers = append(seen.Leftovers, nameOf(child))
			continue
		}
		place(&seen.Children, child)
	}
	byName := func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(seen.Children.ServicePods, byName)
	slices.SortFunc(seen.Children.GeneratorPods, byName)
}

func place(children *lifecycle.Children, child client.Object) {
	switch child := child.(type) {
	case *appsv1.Deployment:
		children.Deployment = child
	case *corev1.Service:
		children.Service = child
	case *networkingv1.NetworkPolicy:
		children.Policies++
	case *batchv1.Job:
		children.Job = child
	case *corev1.Pod:
		if child.Labels[v1alpha1.LabelComponent] == v1alpha1.ComponentGenerator {
			children.GeneratorPods = append(children.GeneratorPods, *child)
		} else {
			children.ServicePods = append(children.ServicePods, *child)
		}
	}
}

// observeForeign looks for objects that have a child's name and another owner. They may lack
// our labels and then are not in any list or cache, so it asks the server for each missing
// child.
func (r *TrialReconciler) observeForeign(ctx context.Context, seen *lifecycle.Observation, known []string, attempt *v1alpha1.Attempt) error {
	for _, child := range emptyChildren(seen.Trial, attempt.Number) {
		if slices.Contains(known, nameOf(child)) {
			continue
		}
		err := r.Live.Get(ctx, client.ObjectKeyFromObject(child), child)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return err
		case !metav1.IsControlledBy(child, seen.Trial):
			seen.Children.Foreign = nameOf(child)
			return nil
		}
	}
	return nil
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

// underLoad returns descriptions of the other trials whose generators have not ended, read
// without a cache, because two generators at the same time would affect both measurements. A
// description of a trial in another namespace contains no name, since the trial's users may not
// see that namespace.
func (r *TrialReconciler) underLoad(ctx context.Context, trial *v1alpha1.SizingTrial) ([]string, error) {
	generators := client.MatchingLabels{v1alpha1.LabelComponent: v1alpha1.ComponentGenerator}
	jobs, pods := &batchv1.JobList{}, &corev1.PodList{}
	if err := r.Live.List(ctx, jobs, generators); err != nil {
		return nil, err
	}
	if err := r.Live.List(ctx, pods, generators); err != nil {
		return nil, err
	}
	busy := map[string]string{}
	for i := range jobs.Items {
		if !jobEnded(&jobs.Items[i]) {
			noteBusy(busy, trial.Namespace, &jobs.Items[i])
		}
	}
	for i := range pods.Items {
		if phase := pods.Items[i].Status.Phase; phase != corev1.PodSucceeded && phase != corev1.PodFailed {
			noteBusy(busy, trial.Namespace, &pods.Items[i])
		}
	}
	var others []string
	for uid, name := range busy {
		if uid != string(trial.UID) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return others, nil
}

func noteBusy(busy map[string]string, namespace string, generator client.Object) {
	labels, name := generator.GetLabels(), "one in another namespace"
	if generator.GetNamespace() == namespace {
		name = labels[v1alpha1.LabelExperiment] + " " + labels[v1alpha1.LabelVariant]
	}
	busy[labels[v1alpha1.LabelTrialUID]] = name
}

func jobEnded(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed)
	})
}
