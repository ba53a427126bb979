package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// DenyPolicyReconciler keeps a namespace's deny policy as long as the namespace has a trial, or a pod
// of one. The policies of an attempt can't do this: its pods outlive them, by seconds, or until their node
// answers again.
//
// The API server can't make a deletion depend on other objects. An operator that freezes between
// its last look and the deletion may delete a policy that is needed again; the one that leads then
// creates it as soon as it sees that.
type DenyPolicyReconciler struct {
	client.Client
	// Live reads the API server without a cache, before a policy is created or deleted.
	Live client.Reader
}

// SetupWithManager makes the reconciler run for a namespace when its deny policy, an experiment, a trial,
// or an object that is a pod or makes pods appears or goes.
func (r *DenyPolicyReconciler) SetupWithManager(mgr ctrl.Manager) error {
	ofNamespace := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: objects.DenyPolicyName}}}
	})
	ofThatName := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetName() == objects.DenyPolicyName })
	return ctrl.NewControllerManagedBy(mgr).
		Named("denypolicy").
		For(&networkingv1.NetworkPolicy{}, builder.WithPredicates(ofThatName)).
		Watches(&v1beta1.SizingExperiment{}, ofNamespace, builder.WithPredicates(createdOrDeleted)).
		Watches(&v1beta1.SizingTrial{}, ofNamespace, builder.WithPredicates(createdOrDeleted)).
		Watches(&corev1.Pod{}, ofNamespace, builder.WithPredicates(createdOrDeleted)).
		Watches(&appsv1.Deployment{}, ofNamespace, builder.WithPredicates(createdOrDeleted)).
		Watches(&batchv1.Job{}, ofNamespace, builder.WithPredicates(createdOrDeleted)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 1, ReconciliationTimeout: passLimit}).
		Complete(r)
}

// createdOrDeleted ignores updates: a namespace needs its deny policy as long as these objects exist.
var createdOrDeleted = predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return false }}

// denyAgain is how soon a deny policy is looked at again without an event, which can be lost, while
// something is about to be deleted.
const denyAgain = 30 * time.Second

// Reconcile makes one pass over a namespace, which is that of the request.
func (r *DenyPolicyReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pods, trials, err := whatIsDenied(ctx, r.Client, req.Namespace)
	if err != nil {
		return ctrl.Result{}, err
	}
	policy := &networkingv1.NetworkPolicy{}
	err = r.Get(ctx, req.NamespacedName, policy)
	switch absent, needed := apierrors.IsNotFound(err), pods || trials; {
	case err != nil && !absent:
		return ctrl.Result{}, err
	case absent && !needed:
		return ctrl.Result{}, nil
	case absent:
		err = unlessReported(ensureDenyPolicy(ctx, r.Client, r.Live, req.Namespace))
	case !needed:
		err = unlessReported(asRefused(r.remove(ctx, policy)))
	}
	if err != nil {
		return unlessStale(fmt.Errorf("deny policy of namespace %s: %w", req.Namespace, err))
	}
	return r.lookAgain(ctx, req.Namespace, pods, trials)
}

// lookAgain rests while a namespace has only trials and experiments. Whoever creates a pod looks for the
// policy first. Trials stay as long as their experiments, and go without them.
func (r *DenyPolicyReconciler) lookAgain(ctx context.Context, namespace string, pods, trials bool) (ctrl.Result, error) {
	if trials && !pods {
		experiments := &v1beta1.SizingExperimentList{}
		err := r.List(ctx, experiments, client.InNamespace(namespace), client.Limit(1))
		if err != nil || len(experiments.Items) > 0 {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: denyAgain}, nil
}

// unlessReported drops the errors that the attempt reports which needs the policy, and a refusal to delete
// it. Both are tried again.
func unlessReported(err error) error {
	_, taken := errors.AsType[*nameTakenError](err)
	_, refused := errors.AsType[*refusedError](err)
	if taken || refused {
		return nil
	}
	return unlessTerminating(err)
}

// remove deletes the policy unless the API server knows of something that needs it. One that somebody
// else made under its name is left alone.
func (r *DenyPolicyReconciler) remove(ctx context.Context, policy *networkingv1.NetworkPolicy) error {
	if !isDenyPolicy(policy) {
		return nil
	}
	if pods, trials, err := whatIsDenied(ctx, r.Live, policy.Namespace); err != nil || pods || trials {
		return err
	}
	return removeUnchanged(ctx, r.Client, policy)
}

// whatIsDenied reports whether a namespace has, or is about to get, pods of trials, and whether it has
// trials. Pods count until they are gone, those on a node that does not answer too. A Deployment and a Job
// can make another pod. A trial counts as long as it exists: an operator that was frozen may create a
// Deployment of a trial that has ended since, whose pods may start before the one that leads sees them.
//
// The trials are read last: one that appears later still has to get its turn and to begin, and looks
// for the policy itself.
func whatIsDenied(ctx context.Context, reader client.Reader, namespace string) (pods, trials bool, err error) {
	for _, list := range []client.ObjectList{&corev1.PodList{}, &appsv1.DeploymentList{}, &batchv1.JobList{}} {
		if err := reader.List(ctx, list, client.InNamespace(namespace), client.HasLabels{v1beta1.LabelTrialUID}, client.Limit(1)); err != nil {
			return false, false, err
		}
		pods = pods || meta.LenList(list) > 0
	}
	list := &v1beta1.SizingTrialList{}
	err = reader.List(ctx, list, client.InNamespace(namespace), client.Limit(1))
	return pods, len(list.Items) > 0, err
}

// ensureDenyPolicy creates a namespace's deny policy unless it exists. It reads without a cache, which may
// still contain a policy that is gone. It returns a *nameTakenError if the object of that name is another
// one, and a *refusedError if the API server does not admit the policy.
func ensureDenyPolicy(ctx context.Context, c client.Client, live client.Reader, namespace string) error {
	policy, found := objects.DenyPolicy(namespace), &networkingv1.NetworkPolicy{}
	err := live.Get(ctx, client.ObjectKeyFromObject(policy), found)
	if apierrors.IsNotFound(err) {
		if err = c.Create(ctx, policy.DeepCopy()); !apierrors.IsAlreadyExists(err) {
			return asRefused(err)
		}
		err = live.Get(ctx, client.ObjectKeyFromObject(policy), found)
	}
	if err != nil {
		return err
	}
	if !isDenyPolicy(found) {
		return &nameTakenError{what: nameOf(policy), has: "another spec or label"}
	}
	return nil
}

// isDenyPolicy reports whether a policy of that name is the one that the operator creates. Users may
// set labels of their own; without ours it is not in the cache.
func isDenyPolicy(found *networkingv1.NetworkPolicy) bool {
	return equality.Semantic.DeepEqual(found.Spec, objects.DenyPolicy(found.Namespace).Spec) &&
		found.Labels[v1beta1.LabelComponent] == v1beta1.ComponentTrials
}
