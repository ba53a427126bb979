//go:build integration

package controllers_test

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// propagates reports whether the garbage collector has to do something before a deleted object goes.
func propagates(object client.Object) bool {
	of := func(finalizer string) bool { return slices.Contains(object.GetFinalizers(), finalizer) }
	return object.GetDeletionTimestamp() != nil && (of(metav1.FinalizerDeleteDependents) || of(metav1.FinalizerOrphanDependents))
}

// propagate deletes an object's dependents in the foreground, or orphans them, and then lets it go.
func (k *kubelet) propagate(owner client.Object) bool {
	if !k.after(collecting, owner, "propagated") {
		return false
	}
	orphans, changed, left := slices.Contains(owner.GetFinalizers(), metav1.FinalizerOrphanDependents), false, false
	for _, object := range k.cluster.everything() {
		switch controller := metav1.GetControllerOf(object); {
		case controller == nil || controller.UID != owner.GetUID():
			continue
		case orphans:
			before := object.DeepCopyObject().(client.Object)
			object.SetOwnerReferences(nil)
			k.cluster.must("orphaning", k.cluster.client.Patch(k.cluster.ctx, object, client.MergeFrom(before)))
			changed = true
		case object.GetDeletionTimestamp() == nil:
			k.cluster.must("deleting a dependent", k.cluster.client.Delete(k.cluster.ctx, object, propagation(object)))
			changed, left = true, true
		default:
			left = true
		}
	}
	if left {
		return changed
	}
	before := owner.DeepCopyObject().(client.Object)
	controllerutil.RemoveFinalizer(owner, metav1.FinalizerDeleteDependents)
	controllerutil.RemoveFinalizer(owner, metav1.FinalizerOrphanDependents)
	k.cluster.must("removing a finalizer", k.cluster.client.Patch(k.cluster.ctx, owner, client.MergeFrom(before)))
	k.cluster.log("cluster", fmt.Sprintf("lets %s %s go", kindOf(owner), owner.GetName()))
	return len(owner.GetFinalizers()) > 0 || k.await("it is gone", func() bool { return !k.cluster.get(owner) })
}

// propagation returns how the garbage collector deletes a dependent in the foreground: in the same
// way if it can have dependents itself.
func propagation(dependent client.Object) client.PropagationPolicy {
	switch dependent.(type) {
	case *v1beta1.SizingTrial, *appsv1.Deployment, *batchv1.Job:
		return client.PropagationPolicy(metav1.DeletePropagationForeground)
	}
	return client.PropagationPolicy(metav1.DeletePropagationBackground)
}
