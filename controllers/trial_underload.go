package controllers

import (
	"context"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// underLoad returns descriptions of the other trials whose generators may run, read without a
// cache, because two generators at the same time would affect both measurements. A description
// of a trial in another namespace contains no name, since the trial's users may not see that
// namespace.
func (r *TrialReconciler) underLoad(ctx context.Context, trial *v1alpha1.SizingTrial) ([]string, error) {
	generators := client.MatchingLabels{v1alpha1.LabelComponent: v1alpha1.ComponentGenerator}
	jobs, pods := &batchv1.JobList{}, &corev1.PodList{}
	if err := r.Live.List(ctx, jobs, generators); err != nil {
		return nil, err
	}
	if err := r.Live.List(ctx, pods, generators); err != nil {
		return nil, err
	}
	now, busy := r.Clock.Now(), map[string]string{}
	for i := range jobs.Items {
		if jobLoads(&jobs.Items[i]) {
			noteBusy(busy, trial.Namespace, &jobs.Items[i])
		}
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; ofJob(metav1.GetControllerOf(pod)) && lifecycle.MayLoad(pod, now) {
			noteBusy(busy, trial.Namespace, pod)
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

// jobLoads reports whether a Job runs a generator, or will. Anyone can label a Job as a
// generator's and leave it there, so only one counts that a trial controls and that ends by
// itself. One that is being deleted creates no more pods; those that it has are counted by
// themselves.
func jobLoads(job *batchv1.Job) bool {
	owner, limit := metav1.GetControllerOf(job), ptr.Deref(job.Spec.ActiveDeadlineSeconds, 0)
	switch {
	case !ofTrial(owner) || job.DeletionTimestamp != nil:
		return false
	case limit == 0 || limit > int64(loadplan.LongestExperiment/time.Second):
		return false
	case ptr.Deref(job.Spec.Suspend, false):
		return false
	}
	return !jobEnded(job)
}

func jobEnded(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed)
	})
}
