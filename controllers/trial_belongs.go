package controllers

import (
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// belongs reports whether a labelled object is the trial's: its controller is the trial itself
// or, for a pod, one of the trial's Jobs or the ReplicaSet of one of its Deployments. The label
// alone is not enough, because anyone can set it.
func belongs(child client.Object, trial *v1beta1.SizingTrial, jobs []types.UID) bool {
	owner := metav1.GetControllerOf(child)
	switch _, isPod := child.(*corev1.Pod); {
	case jobOf(child) != "":
		return slices.Contains(jobs, jobOf(child))
	case !isPod:
		return ofTrial(owner) && owner.UID == trial.UID
	default:
		return owner != nil && ofReplicaSet(owner, child, trial)
	}
}

// jobOf returns the UID of the Job that created a pod, or "". The pods of a Job that somebody
// deleted without them run on; they have no owner, and keep the Job controller's label.
func jobOf(child client.Object) types.UID {
	pod, isPod := child.(*corev1.Pod)
	if !isPod {
		return ""
	}
	switch owner := metav1.GetControllerOf(pod); {
	case ofJob(owner):
		return owner.UID
	case owner == nil:
		return types.UID(pod.Labels[batchv1.ControllerUidLabel])
	default:
		return ""
	}
}

// isStray reports whether a pod is a generator's that no Job controls any more, because somebody changed
// a label by which its Job found it.
func isStray(pod *corev1.Pod) bool {
	return pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator && !ofJob(metav1.GetControllerOf(pod))
}

// jobsOf returns the UIDs of a trial's Jobs: those that an attempt recorded, which may be deleted
// before their pods are, and those that exist.
func jobsOf(trial *v1beta1.SizingTrial, children []client.Object) []types.UID {
	var jobs []types.UID
	for _, attempt := range trial.Status.Attempts {
		if attempt.JobUID != "" {
			jobs = append(jobs, attempt.JobUID)
		}
	}
	for _, child := range children {
		if _, is := child.(*batchv1.Job); is && belongs(child, trial, nil) {
			jobs = append(jobs, child.GetUID())
		}
	}
	return jobs
}

func ofTrial(owner *metav1.OwnerReference) bool {
	return owner != nil && owner.Kind == "SizingTrial" && owner.APIVersion == v1beta1.GroupVersion.String()
}

func ofJob(owner *metav1.OwnerReference) bool {
	return owner != nil && owner.Kind == "Job" && owner.APIVersion == batchv1.SchemeGroupVersion.String()
}

// ofReplicaSet reports whether a pod is controlled by a ReplicaSet of the name that the Deployment
// controller gives to that of an attempt's Deployment. The operator has no right to read
// ReplicaSets and their owner. Somebody who creates one of that name, with such pods, is found by
// its pods: there are too many of them, or they are not the planned ones.
func ofReplicaSet(owner *metav1.OwnerReference, pod client.Object, trial *v1beta1.SizingTrial) bool {
	hash := pod.GetLabels()[appsv1.DefaultDeploymentUniqueLabelKey]
	attempt, err := strconv.ParseInt(pod.GetLabels()[v1beta1.LabelAttempt], 10, 32)
	return err == nil && hash != "" && owner.Kind == "ReplicaSet" && owner.APIVersion == appsv1.SchemeGroupVersion.String() &&
		owner.Name == objects.ReplicaSet(trial.UID, int32(attempt), pod.GetLabels()[v1beta1.LabelCompanion], hash)
}

// split separates the children that the current attempt needs from all others.
func split(seen *lifecycle.Observation, children []client.Object) (current, left []client.Object) {
	attempt := lifecycle.Current(&seen.Trial.Status)
	if attempt == nil || seen.Ownership != lifecycle.Planned {
		return nil, children
	}
	uid, n := seen.Trial.UID, attempt.Number
	needed := []string{objects.Child(uid, n), objects.ServicePolicyName(uid, n), objects.GeneratorPolicyName(uid, n), objects.CompanionPolicyName(uid, n)}
	for _, companion := range objects.Companions(seen.Trial.Spec) {
		needed = append(needed, objects.CompanionName(uid, n, companion.Name))
	}
	job := attempt.JobUID
	for _, child := range children {
		if _, is := child.(*batchv1.Job); is && job == "" && slices.Contains(needed, child.GetName()) {
			job = child.GetUID() // it was created, but not recorded
		}
	}
	for _, child := range children {
		if needs(child, attempt, needed, job) {
			current = append(current, child)
		} else {
			left = append(left, child)
		}
	}
	return current, left
}

func needs(child client.Object, attempt *v1beta1.Attempt, names []string, job types.UID) bool {
	switch _, isPod := child.(*corev1.Pod); {
	case !isPod:
		return slices.Contains(names, child.GetName())
	case jobOf(child) != "":
		return jobOf(child) == job
	default:
		return child.GetLabels()[v1beta1.LabelAttempt] == strconv.Itoa(int(attempt.Number))
	}
}
