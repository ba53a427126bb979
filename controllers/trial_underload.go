package controllers

import (
	"context"
	"maps"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// load is something that puts load on the cluster now, or soon: a generator's pod, or a Job that creates
// one.
type load struct {
	trial, job types.UID
	name       types.NamespacedName
	measures   string // the experiment and the variant
	runs       bool   // its container runs; otherwise it may be about to start
}

// loadsIn returns all loads of the cluster. Whether something is a load depends neither on the trial
// that asks nor on who controls a pod: k6 runs on in a pod that lost its Job, or its trial.
func loadsIn(ctx context.Context, reader client.Reader, now time.Time) ([]load, error) {
	generators := client.MatchingLabels{v1beta1.LabelComponent: v1beta1.ComponentGenerator}
	jobs, pods := &batchv1.JobList{}, &corev1.PodList{}
	if err := reader.List(ctx, jobs, generators); err != nil {
		return nil, err
	}
	if err := reader.List(ctx, pods, generators); err != nil {
		return nil, err
	}
	var loads []load
	for i := range jobs.Items {
		if job := &jobs.Items[i]; jobLoads(job) {
			loads = append(loads, loadOf(job, job.UID))
		}
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; lifecycle.MayLoad(pod, now) {
			load := loadOf(pod, jobOf(pod))
			load.runs = pod.Status.Phase == corev1.PodRunning
			loads = append(loads, load)
		}
	}
	return loads, nil
}

func loadOf(generator client.Object, job types.UID) load {
	labels := generator.GetLabels()
	return load{
		trial: types.UID(labels[v1beta1.LabelTrialUID]), job: job, name: client.ObjectKeyFromObject(generator),
		measures: labels[v1beta1.LabelExperiment] + " " + labels[v1beta1.LabelVariant],
	}
}

// underLoad returns descriptions of the loads that are not of the trial's current attempt, one for each
// trial, read without a cache. A description of a trial in another namespace contains no name, since
// the trial's users may not see that namespace.
func (r *TrialReconciler) underLoad(ctx context.Context, seen *lifecycle.Observation) ([]string, error) {
	loads, err := loadsIn(ctx, r.Live, r.Clock.Now())
	if err != nil {
		return nil, err
	}
	trial, others := seen.Trial, map[types.UID]string{}
	for _, load := range loads {
		name := load.measures
		switch {
		case load.trial == trial.UID && (load.job == ownJob(seen) || seen.Cancelled || load.name.Namespace != trial.Namespace):
			continue // its own, or a pod elsewhere that claims to be
		case load.trial == trial.UID:
			name = "pod " + load.name.Name + " of this trial"
		case load.name.Namespace != trial.Namespace:
			name = "one in another namespace"
		}
		others[load.trial] = name
	}
	return slices.Sorted(maps.Values(others)), nil
}

// ownJob returns the UID of the current attempt's Job, which may not be on record yet, or "" if there
// is none.
func ownJob(seen *lifecycle.Observation) types.UID {
	if attempt := lifecycle.Current(&seen.Trial.Status); attempt != nil && attempt.JobUID != "" {
		return attempt.JobUID
	}
	if seen.Children.Job != nil {
		return seen.Children.Job.UID
	}
	return "none"
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
