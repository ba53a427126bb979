package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// TurnReconciler gives turns: it decides which trials begin, once for all experiments, and
// computes the positions of those that wait.
//
// The trials that have a turn are the holder of one Lease. A turn is first written there, by
// compare-and-swap, and only then given to the trial. An operator that dies in between gives
// the same turn again. A leader that was frozen and no longer leads can't give another one,
// because the Lease has changed since it was read.
type TurnReconciler struct {
	client.Client
	// Live reads the API server without a cache, before a turn is given or taken off the Lease.
	Live client.Reader
	// Clock provides the time of a pass.
	Clock clock.PassiveClock
	// Events records events.
	Events events.EventRecorder
	// Lease is the Lease whose holder is the trials that have a turn.
	Lease types.NamespacedName
	// MaxConcurrent is the largest number of trials under load at the same time, in all experiments.
	MaxConcurrent int
	// Queue receives the positions.
	Queue *Queue
}

// Reconcile makes one pass over all experiments. The request has no meaning.
func (r *TurnReconciler) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	lease, err := r.lease(ctx)
	if err != nil {
		return unlessStale(fmt.Errorf("lease %s: %w", r.Lease, err))
	}
	experiments, trials, err := r.waiting(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	held, err := r.held(ctx, lease)
	if err != nil {
		return ctrl.Result{}, err
	}
	turns := queue.Decide(experiments, trials, held, r.MaxConcurrent, r.Clock.Now())
	held = append(held, turns.Start...)
	if err := r.write(ctx, lease, held); err != nil {
		return unlessStale(fmt.Errorf("lease %s: %w", r.Lease, err))
	}
	for _, name := range held {
		if err := r.give(ctx, name); err != nil {
			return unlessStale(fmt.Errorf("giving trial %s its turn: %w", name, err))
		}
	}
	r.Queue.set(experiments, turns.Position)
	if len(held) == 0 && !slices.ContainsFunc(experiments, func(e v1alpha1.SizingExperiment) bool { return queue.Continues(&e) }) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: turnsAgain}, nil
}

// turnsAgain is how soon turns are computed again without a reason. One pass a minute costs
// nothing, and a turn that depended on a single event could be lost with it.
const turnsAgain = time.Minute

// lease reads the Lease, and creates it if it does not exist.
func (r *TurnReconciler) lease(ctx context.Context) (*coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{}
	err := r.Live.Get(ctx, r.Lease, lease)
	if !apierrors.IsNotFound(err) {
		return lease, err
	}
	lease.Namespace, lease.Name = r.Lease.Namespace, r.Lease.Name
	return lease, r.Create(ctx, lease, client.DisableReadYourWritesConsistency)
}

// write writes the trials that have a turn into the Lease, unless it has been changed since it
// was read.
func (r *TurnReconciler) write(ctx context.Context, lease *coordinationv1.Lease, held []types.NamespacedName) error {
	holder := queue.Holder(held)
	if holder == ptr.Deref(lease.Spec.HolderIdentity, "") {
		return nil
	}
	lease.Spec.HolderIdentity = &holder
	lease.Spec.RenewTime = &metav1.MicroTime{Time: r.Clock.Now()}
	return r.Update(ctx, lease, client.DisableReadYourWritesConsistency)
}

// waiting lists all experiments, and the trials of those that have not finished. Most trials
// are of finished experiments, and reading them at each pass would be most of its work.
func (r *TurnReconciler) waiting(ctx context.Context) ([]v1alpha1.SizingExperiment, []v1alpha1.SizingTrial, error) {
	experiments := &v1alpha1.SizingExperimentList{}
	if err := r.List(ctx, experiments, client.UnsafeDisableDeepCopy); err != nil {
		return nil, nil, err
	}
	var trials []v1alpha1.SizingTrial
	for i := range experiments.Items {
		e := &experiments.Items[i]
		if e.Status.Phase.Finished() {
			continue
		}
		list := &v1alpha1.SizingTrialList{}
		err := r.List(ctx, list, client.UnsafeDisableDeepCopy,
			client.InNamespace(e.Namespace), client.MatchingFields{ownerField: string(e.UID)})
		if err != nil {
			return nil, nil, err
		}
		trials = append(trials, list.Items...)
	}
	return experiments.Items, trials, nil
}

// held returns the trials of the Lease that still have their turn. It reads each of them
// without a cache, because one that is taken off by mistake could run at the same time as the
// next.
func (r *TurnReconciler) held(ctx context.Context, lease *coordinationv1.Lease) ([]types.NamespacedName, error) {
	var held []types.NamespacedName
	for _, name := range queue.Held(ptr.Deref(lease.Spec.HolderIdentity, "")) {
		trial := &v1alpha1.SizingTrial{}
		err := r.Live.Get(ctx, name, trial)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		holds := queue.Active(trial)
		if !holds && !queue.Released(trial) {
			if holds, err = r.continues(ctx, trial); err != nil {
				return nil, err
			}
		}
		if holds {
			held = append(held, name)
		}
	}
	return held, nil
}

// continues reports whether a trial that has a turn in the Lease, and has not begun, can still
// begin. If its experiment was suspended or has ended, the turn is free.
func (r *TurnReconciler) continues(ctx context.Context, trial *v1alpha1.SizingTrial) (bool, error) {
	experiment, err := r.experimentOf(ctx, trial)
	return err == nil && experiment != nil && queue.Continues(experiment), err
}

// experimentOf returns the experiment that owns a trial, or nil if the trial has no such owner, or
// one that is being deleted.
// The cache is good enough: an experiment that was suspended since then takes its turn back.
func (r *TurnReconciler) experimentOf(ctx context.Context, trial *v1alpha1.SizingTrial) (*v1alpha1.SizingExperiment, error) {
	owner := metav1.GetControllerOfNoCopy(trial)
	if owner == nil || owner.Kind != experimentKind {
		return nil, nil
	}
	return experimentIn(ctx, r.Client, trial, owner)
}

// giveTurn is the action of the event about a turn.
const giveTurn = "GiveTurn"

// give lets a trial that is in the Lease begin, unless it already has. The cache is good enough: the
// write fails if the trial has changed since.
func (r *TurnReconciler) give(ctx context.Context, name types.NamespacedName) error {
	trial := &v1alpha1.SizingTrial{}
	if err := r.Get(ctx, name, trial); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !trial.Spec.Suspend || queue.Active(trial) || queue.Released(trial) {
		return nil
	}
	experiment, err := r.experimentOf(ctx, trial)
	if err != nil || experiment == nil {
		return err
	}
	if err := suspendTrial(ctx, r.Client, trial, false); err != nil {
		return err
	}
	place := placeOf(experiment, trial)
	r.Events.Eventf(experiment, nil, normal, "TrialStarted", giveTurn, "%s", truncate(place))
	ctrl.LoggerFrom(ctx).Info(place, "action", giveTurn,
		"namespace", experiment.Namespace, "name", experiment.Name, "trial", trial.Name, "variant", trial.Spec.Variant.Name)
	return nil
}

// suspendTrial gives a trial its turn, or takes it back, unless the trial has changed since it
// was read.
func suspendTrial(ctx context.Context, c client.Client, trial *v1alpha1.SizingTrial, suspend bool) error {
	before := trial.DeepCopy()
	trial.Spec.Suspend = suspend
	return c.Patch(ctx, trial, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// placeOf says which of its experiment's trials a trial is.
func placeOf(experiment *v1alpha1.SizingExperiment, trial *v1alpha1.SizingTrial) string {
	planned, err := matrix.Plan(experiment, matrix.Seed(experiment))
	if err != nil { // the experiment would have been refused, and would have no trial
		return describe(trial)
	}
	return fmt.Sprintf("Trial %d of %d: %s", trial.Spec.Sequence, trialCount(experiment, len(planned)), describe(trial))
}
