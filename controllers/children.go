package controllers

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// experimentKind is the kind that owns trials and service accounts.
const experimentKind = "SizingExperiment"

// nameTakenError means that an object has a child's name and another owner, or the name of the deny
// policy and another spec. Such an object is never adopted, changed or deleted.
type nameTakenError struct{ what, has string }

// Error returns what is wrong and what to do about it.
func (e *nameTakenError) Error() string {
	return e.what + " already exists and has " + e.has + "; delete or rename it"
}

// refusedError means that a quota, a policy or a webhook refuses an object. That can change
// without anything that the operator would notice, so the object is created again later.
type refusedError struct{ reason, message string }

// Error returns what the API server answered.
func (e *refusedError) Error() string { return e.message }

// asRefused returns a *refusedError if the API server refuses a write for good, and any other error
// unchanged. A policy answers Invalid by default, a webhook any code that it likes, and one that
// can't be called is an internal error. A right that the operator lacks is Forbidden like a quota.
// So is everything in a namespace that is being deleted, which is not for the user to wait for.
func asRefused(err error) error {
	if err == nil {
		return nil
	}
	says := func(text string) bool { return strings.Contains(err.Error(), text) }
	switch {
	case apierrors.IsForbidden(err) && !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause),
		apierrors.IsInvalid(err), tooLarge(err), (says("denied the request") || says("failed calling webhook")):
		return &refusedError{reason: lifecycle.RefusalReason(err.Error()), message: lifecycle.Clip(err.Error())}
	}
	return err
}

// tooLarge reports whether an object is larger than the API server or etcd accepts. The latter's answer
// has no code of its own.
func tooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || err != nil && strings.Contains(err.Error(), "request is too large")
}

// ensure is create for an object that usually exists.
func ensure(ctx context.Context, c client.Client, live client.Reader, object client.Object, owner client.Object) error {
	found := object.DeepCopyObject().(client.Object)
	err := c.Get(ctx, client.ObjectKeyFromObject(object), found)
	if apierrors.IsNotFound(err) {
		return create(ctx, c, live, object, owner)
	}
	if err != nil {
		return err
	}
	return takeUID(object, found, owner)
}

// create creates an object unless it exists, and sets the object's UID to the server's. It
// returns a *nameTakenError if an object of that name has another controller, and a *refusedError
// if the API server does not admit the object. An object with another controller may lack our
// labels and then is not in the cache, so create reads it from the server once it turns out to
// exist.
func create(ctx context.Context, c client.Client, live client.Reader, object client.Object, owner client.Object) error {
	found := object.DeepCopyObject().(client.Object)
	if err := c.Create(ctx, object); !apierrors.IsAlreadyExists(err) {
		return asRefused(err)
	}
	if err := live.Get(ctx, client.ObjectKeyFromObject(object), found); err != nil {
		return err
	}
	return takeUID(object, found, owner)
}

// takeUID sets the UID of an object to that of the one that was found, unless that one has another
// controller.
func takeUID(object, found, owner client.Object) error {
	if !metav1.IsControlledBy(found, owner) {
		return &nameTakenError{what: nameOf(object), has: "another owner"}
	}
	object.SetUID(found.GetUID())
	return nil
}

// create creates a child of the current attempt. No pod may be without the deny policy, so that is
// looked for before the owner of a pod is created. An operator that was frozen and is not the leader
// any more must not start pods for an attempt that has ended meanwhile, so the trial is read again
// first. A Service or a NetworkPolicy does nothing without pods, and the leader deletes it.
func (r *TrialReconciler) create(ctx context.Context, child client.Object, trial *v1beta1.SizingTrial) error {
	switch child.(type) {
	case *appsv1.Deployment, *batchv1.Job:
		if err := ensureDenyPolicy(ctx, r.Client, r.Live, trial.Namespace); err != nil {
			return err
		}
		if _, err := stillAsRead(ctx, r.Client, r.Live, trial); err != nil {
			return err
		}
	}
	return create(ctx, r.Client, r.Live, child, trial)
}

// remove deletes an object and, in the background, what it owns. The UID is a precondition,
// because an object that was created again under the same name is a different one.
func remove(ctx context.Context, c client.Client, object client.Object) error {
	return removeIf(ctx, c, object, client.Preconditions{UID: ptr.To(object.GetUID())})
}

// removeUnchanged is remove for an object that has not changed since it was read.
func removeUnchanged(ctx context.Context, c client.Client, object client.Object) error {
	return removeIf(ctx, c, object, client.Preconditions{UID: ptr.To(object.GetUID()), ResourceVersion: ptr.To(object.GetResourceVersion())})
}

func removeIf(ctx context.Context, c client.Client, object client.Object, preconditions client.Preconditions) error {
	if object.GetDeletionTimestamp() != nil {
		return nil
	}
	err := c.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground), preconditions)
	return client.IgnoreNotFound(err)
}

// unlessTerminating drops the error of creating something in a namespace that is being
// deleted. Everything there is being deleted, and retries would only fill the log.
func unlessTerminating(err error) error {
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil
	}
	return err
}

func itemsOf(list client.ObjectList) []client.Object {
	var items []client.Object
	// EachListItem fails only for what is not a list.
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		items = append(items, item.(client.Object))
		return nil
	})
	return items
}

// nameOf returns an object's kind and name, for people. The kind is the Go type's name,
// because objects that were read from the API server don't have their kind set.
func nameOf(object client.Object) string {
	return fmt.Sprintf("%s %s", reflect.TypeOf(object).Elem().Name(), object.GetName())
}
