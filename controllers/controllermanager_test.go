//go:build integration

package controllers_test

import (
	"context"
	"os"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// controllerManager is the path of Kubernetes' own kube-controller-manager. If it is set, the
// controllers of Deployments, ReplicaSets and Jobs and the garbage collector are the real
// ones, and a test cluster simulates only the scheduler and kubelet.
var controllerManager = os.Getenv("HASHMARK_CONTROLLER_MANAGER")

// patience is how long the real controllers may take for one step, by the real clock.
const patience = 2 * time.Minute

// await waits until the real controllers have done something.
func (k *kubelet) await(what string, done func() bool) bool {
	k.cluster.t.Helper()
	err := wait.PollUntilContextTimeout(k.cluster.ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) { return done(), nil })
	k.cluster.must("waiting until "+what, err)
	return true
}

// attendReal waits until the real controllers have done what an object calls for, and
// reports whether there was anything to wait for.
func (k *kubelet) attendReal(object client.Object) bool {
	switch object := object.(type) {
	case *appsv1.Deployment:
		missing := func() bool {
			return k.cluster.get(object) && object.DeletionTimestamp == nil && len(k.livingPodsOf(object)) < int(*object.Spec.Replicas)
		}
		return missing() && k.await("a Deployment has its pods", func() bool { return !missing() })
	case *batchv1.Job:
		return k.behind(object) && k.await("a Job is up to date", func() bool { return !k.behind(object) })
	case *corev1.Pod:
		if object.DeletionTimestamp == nil && object.Spec.NodeName == "" && k.mishapOf(object).stuck == nil {
			return k.bind(object)
		}
		return k.pod(object)
	}
	return false
}

// behind reports whether a Job lacks its pod, or does not show how that ended.
func (k *kubelet) behind(job *batchv1.Job) bool {
	if !k.cluster.get(job) || job.DeletionTimestamp != nil || jobOver(job) {
		return false
	}
	pods := k.podsOf(job.UID)
	return len(pods) == 0 || slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	})
}

func jobOver(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed)
	})
}

// livingPodsOf returns the pods of a Deployment that are not being deleted.
func (k *kubelet) livingPodsOf(d *appsv1.Deployment) (living []corev1.Pod) {
	for _, set := range k.replicaSets() {
		if metav1.IsControlledBy(&set, d) {
			living = append(living, slices.DeleteFunc(k.podsOf(set.UID), func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })...)
		}
	}
	return living
}

// replicaSets returns the ReplicaSets of the real controllers. The operator does not watch
// them, so they are read without the cache.
func (k *kubelet) replicaSets() (sets []appsv1.ReplicaSet) {
	if controllerManager == "" {
		return nil
	}
	for _, namespace := range k.cluster.namespaces {
		list := &appsv1.ReplicaSetList{}
		k.cluster.must("listing ReplicaSets", uncached.List(k.cluster.ctx, list, client.InNamespace(namespace)))
		sets = append(sets, list.Items...)
	}
	return sets
}

// bind puts a pod on its node, as the scheduler does.
func (k *kubelet) bind(pod *corev1.Pod) bool {
	node := serviceNode
	if pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator {
		node = loadNode
	}
	err := uncached.SubResource("binding").Create(k.cluster.ctx, pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}})
	if !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		k.cluster.must("binding a pod", err)
	}
	k.logPod(pod, "is scheduled")
	return k.await("a pod is scheduled", func() bool {
		return !k.cluster.get(pod) || pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil
	})
}

// collectReal waits until the garbage collector has deleted an object, or begun to.
func (k *kubelet) collectReal(orphan client.Object) bool {
	return k.await("the garbage collector deletes "+kindOf(orphan)+" "+orphan.GetName(), func() bool {
		return !k.cluster.get(orphan) || orphan.GetDeletionTimestamp() != nil
	})
}

// owners adds to the UIDs of what exists the ReplicaSets whose Deployments exist.
func (k *kubelet) owners(exists map[types.UID]bool) {
	for _, set := range k.replicaSets() {
		if owner := metav1.GetControllerOf(&set); owner != nil && exists[owner.UID] {
			exists[set.UID] = true
		}
	}
}
