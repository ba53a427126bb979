package controllers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// passLimit is how long one pass may take before it is given up. The API server is then
// probably overloaded, and a later pass is more likely to succeed.
const passLimit = 60 * time.Second

// SetupWithManager makes the reconciler run for an experiment whenever it, one of its trials,
// its service account, or its position in the queue changes.
func (r *ExperimentReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("sizingexperiment").
		For(&v1beta1.SizingExperiment{}).
		Owns(&v1beta1.SizingTrial{}).
		Owns(&corev1.ServiceAccount{}).
		WatchesRawSource(r.Queue).
		WithOptions(controller.Options{MaxConcurrentReconciles: experimentWorkers, ReconciliationTimeout: passLimit}).
		Complete(r)
}

// experimentWorkers is the number of experiments that are reconciled at the same time. With
// one, an experiment whose recommendation takes long to simulate would hold up all others.
const experimentWorkers = 2

// SetupWithManager makes the reconciler run once for any number of changes that may free or
// take a turn.
func (r *TurnReconciler) SetupWithManager(mgr ctrl.Manager) error {
	// All events share one request. Its name is that of the Lease, for the log.
	all := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: r.Lease}}
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("turns").
		Watches(&v1beta1.SizingExperiment{}, all, builder.WithPredicates(experimentTurns)).
		Watches(&v1beta1.SizingTrial{}, all, builder.WithPredicates(trialTurns)).
		// A line about a turn has the name and namespace of its experiment, as lines about the
		// experiment do, and not those of the request.
		WithLogConstructor(func(*reconcile.Request) logr.Logger { return mgr.GetLogger().WithValues("controller", "turns") }).
		WithOptions(controller.Options{MaxConcurrentReconciles: 1, ReconciliationTimeout: passLimit}).
		Complete(r)
}

// The changes that may free or take a turn, or move a position.
var (
	experimentTurns = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1beta1.SizingExperiment), e.ObjectNew.(*v1beta1.SizingExperiment)
		return queue.Continues(before) != queue.Continues(after) || queue.Blocked(before) != queue.Blocked(after) ||
			queue.Planned(before) != queue.Planned(after)
	}}
	trialTurns = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*v1beta1.SizingTrial), e.ObjectNew.(*v1beta1.SizingTrial)
		return queue.Active(before) != queue.Active(after) || queue.Released(before) != queue.Released(after)
	}}
)

// SetupWithManager makes the reconciler run for a trial whenever it or one of its children or
// their pods changes, or its experiment changes in a way that it reacts to.
func (r *TrialReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("sizingtrial").
		For(&v1beta1.SizingTrial{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Owns(&networkingv1.NetworkPolicy{}).
		Owns(&batchv1.Job{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(r.trialOf)).
		Watches(&v1beta1.SizingExperiment{}, handler.EnqueueRequestsFromMapFunc(r.trialsOf), builder.WithPredicates(experimentTrials)).
		WithOptions(controller.Options{MaxConcurrentReconciles: trialWorkers, ReconciliationTimeout: passLimit}).
		Complete(r)
}

// The changes of an experiment that its trials react to. Its status changes dozens of times per
// trial, mostly because of the trial itself. A trial also reads the reference speed, but only in
// passes that it makes for another reason.
var experimentTrials = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*v1beta1.SizingExperiment), e.ObjectNew.(*v1beta1.SizingExperiment)
	return before.Generation != after.Generation || // includes the beginning of a deletion
		!before.Status.StartTime.Equal(after.Status.StartTime) || // they can begin, and its time limit is known
		!equality.Semantic.DeepEqual(before.Status.Verifications, after.Status.Verifications) // they are planned there
}}

// trialWorkers is the number of trials that are reconciled at the same time.
const trialWorkers = 4

// trialOf returns a request for the trial of a pod. It uses the pod's label, because the pod's
// owner is a ReplicaSet or a Job and not the trial.
func (r *TrialReconciler) trialOf(ctx context.Context, pod client.Object) []reconcile.Request {
	uid := pod.GetLabels()[v1beta1.LabelTrialUID]
	if uid == "" {
		return nil
	}
	return r.requests(ctx, pod, client.MatchingFields{uidField: uid})
}

// trialsOf returns requests for the trials of an experiment.
func (r *TrialReconciler) trialsOf(ctx context.Context, experiment client.Object) []reconcile.Request {
	return r.requests(ctx, experiment, client.MatchingFields{ownerField: string(experiment.GetUID())})
}

// requests returns requests for the trials in an object's namespace that match.
func (r *TrialReconciler) requests(ctx context.Context, object client.Object, matching client.MatchingFields) []reconcile.Request {
	trials := &v1beta1.SizingTrialList{}
	if err := r.List(ctx, trials, client.InNamespace(object.GetNamespace()), matching); err != nil {
		return nil
	}
	requests := make([]reconcile.Request, 0, len(trials.Items))
	for i := range trials.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&trials.Items[i])})
	}
	return requests
}

// The fields that trials are looked up by in the cache.
const (
	uidField   = "metadata.uid"
	ownerField = "metadata.controller.uid"
)

// IndexTrials adds cache indexes of trials by their own UID and by their experiment's.
func IndexTrials(ctx context.Context, indexer client.FieldIndexer) error {
	byUID := func(trial client.Object) []string { return []string{string(trial.GetUID())} }
	if err := indexer.IndexField(ctx, &v1beta1.SizingTrial{}, uidField, byUID); err != nil {
		return err
	}
	return indexer.IndexField(ctx, &v1beta1.SizingTrial{}, ownerField, func(trial client.Object) []string {
		return []string{string(ownerUID(trial))}
	})
}

func ownerUID(object client.Object) types.UID {
	return ptr.Deref(metav1.GetControllerOfNoCopy(object), metav1.OwnerReference{}).UID
}

// CacheOptions limits the cache to objects with our labels. The cluster's other pods and
// Deployments are not needed and would not fit into the operator's memory. With namespaces,
// the cache is also limited to those, and then needs no rights elsewhere. Of the labels it keeps those that a pass reads, and
// those that trials inherit.
func CacheOptions(namespaces, inherited []string) cache.Options {
	ours := func(label string) cache.ByObject {
		requirement, err := labels.NewRequirement(label, selection.Exists, nil)
		utilruntime.Must(err) // the label is a constant
		return cache.ByObject{Label: labels.NewSelector().Add(*requirement)}
	}
	trials := ours(v1beta1.LabelTrialUID)
	options := cache.Options{DefaultTransform: withoutUnused(slices.Concat(readLabels, inherited)), ByObject: map[client.Object]cache.ByObject{
		&appsv1.Deployment{}:          trials,
		&batchv1.Job{}:                trials,
		&corev1.Pod{}:                 trials,
		&corev1.Service{}:             trials,
		&networkingv1.NetworkPolicy{}: ours(v1beta1.LabelComponent), // those of attempts, and the deny policies
		&corev1.ServiceAccount{}:      ours(v1beta1.LabelExperimentUID),
	}}
	for _, namespace := range namespaces {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	return options
}

// readLabels are the labels that a pass reads.
var readLabels = []string{
	v1beta1.LabelExperimentUID, v1beta1.LabelTrialUID, v1beta1.LabelAttempt, v1beta1.LabelExperiment,
	v1beta1.LabelVariant, v1beta1.LabelComponent, v1beta1.LabelCompanion,
	batchv1.ControllerUidLabel, appsv1.DefaultDeploymentUniqueLabelKey, // on pods
}

// withoutUnused returns a function that removes from an object what no pass reads: it can be larger than all the rest, and a
// user decides its size. Nothing is removed from the object in the API server, because patches hold
// only what a pass has changed.
func withoutUnused(labels []string) func(object any) (any, error) {
	return func(object any) (any, error) {
		accessor, err := meta.Accessor(object)
		if err != nil {
			return object, nil
		}
		accessor.SetManagedFields(nil)
		accessor.SetAnnotations(nil)
		var read map[string]string // a new one: a map does not shrink
		for _, label := range labels {
			if value, is := accessor.GetLabels()[label]; is {
				if read == nil {
					read = map[string]string{}
				}
				read[label] = value
			}
		}
		accessor.SetLabels(read)
		if e, is := object.(*v1beta1.SizingExperiment); is {
			e.OwnerReferences, e.Finalizers = nil, nil
		}
		return object, nil
	}
}

// WatchAll starts watches for every kind that a pass reads, whether this replica leads or not.
// It returns a check that all of them have been listed once.
//
// Otherwise a replica that waits for the lease would be ready without having read anything. If the API
// server becomes unreachable later, replicas stay ready, because unready ones would only lose their metrics.
func WatchAll(ctx context.Context, informers cache.Informers) (healthz.Checker, error) {
	seen := map[string]cache.Informer{}
	for _, kind := range []client.Object{
		&v1beta1.SizingExperiment{}, &v1beta1.SizingTrial{}, &appsv1.Deployment{}, &batchv1.Job{}, &corev1.Pod{},
		&corev1.Service{}, &networkingv1.NetworkPolicy{}, &corev1.ServiceAccount{},
	} {
		informer, err := informers.GetInformer(ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return nil, fmt.Errorf("watching %T: %w", kind, err)
		}
		seen[fmt.Sprintf("%T", kind)] = informer
	}
	return func(*http.Request) error {
		for kind, informer := range seen {
			if !informer.HasSynced() {
				return fmt.Errorf("%s has not been listed yet", kind)
			}
		}
		return nil
	}, nil
}

// LiveIn limits a reader to some namespaces. Listing all objects then lists each namespace in
// turn and joins the results, which needs no rights on the whole cluster. Without namespaces
// the reader is returned unchanged.
//
// The parts of such a list are not from the same moment. That is sufficient: only this operator gives
// turns, so a trial without a turn still has none when the last namespace has been listed.
func LiveIn(reader client.Reader, namespaces []string) client.Reader {
	if len(namespaces) == 0 {
		return reader
	}
	return confined{Reader: reader, namespaces: namespaces}
}

type confined struct {
	client.Reader
	namespaces []string
}

// List joins the lists of the namespaces. If one can't be listed, the whole list fails: a
// namespace that is not known to be idle must be treated as busy.
func (c confined) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	if options.Namespace != "" {
		return c.Reader.List(ctx, list, opts...)
	}
	if options.Limit > 0 || options.Continue != "" {
		return errors.New("a list of several namespaces can't be paged")
	}
	var all []runtime.Object
	for _, namespace := range c.namespaces {
		part := list.DeepCopyObject().(client.ObjectList)
		if err := c.Reader.List(ctx, part, options, client.InNamespace(namespace)); err != nil {
			return fmt.Errorf("watched namespace %s: %w", namespace, err)
		}
		items, err := meta.ExtractList(part)
		if err != nil {
			return err
		}
		all = append(all, items...)
	}
	return meta.SetList(list, all)
}
