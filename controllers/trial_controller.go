package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/queue"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// TrialReconciler takes each SizingTrial through its attempts: deploy, calibrate, load, harvest, clean up.
type TrialReconciler struct {
	client.Client
	// Live reads the API server without a cache, for steps that can't be undone.
	Live client.Reader
	// Clock provides the time of a pass.
	Clock clock.PassiveClock
	// Events records events.
	Events events.EventRecorder
	// Settings are the operator's settings for all children.
	Settings objects.Settings
	// StartTimeout is how long an attempt may wait for what it can't change.
	StartTimeout time.Duration
	// Model predicts a variant and judges its numbers.
	Model lifecycle.Model
	// MaxConcurrent is the largest number of trials under load at the same time.
	MaxConcurrent int
	// Tally counts what ended.
	Tally Tally
	// Paused removes all load, and lets no trial begin.
	Paused bool
	// Turns is the Lease whose holder is the trials that have a turn.
	Turns types.NamespacedName
	// Queue is told which trials can't go on.
	Queue *Queue

	refusals refusals
	// judging has the locks under which the trials of an experiment fix reference speeds. Two
	// experiments may share one.
	judging [64]sync.Mutex
}

// Reconcile makes one pass over one trial.
func (r *TrialReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	trial := &v1beta1.SizingTrial{}
	if err := r.Get(ctx, req.NamespacedName, trial); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if trial.DeletionTimestamp != nil {
		return unlessStale(r.clear(ctx, req.NamespacedName))
	}
	result, err := r.pass(ctx, req, trial)
	if err == nil {
		if trial.Status.ObservedGeneration > 0 { // else nothing was to be written
			r.Queue.succeeded(ownPass, trial.UID)
		}
		return result, nil
	}
	now := r.Clock.Now()
	if _, refused := errors.AsType[*refusedError](asRefused(err)); refused {
		r.Queue.failed(ownPass, trial, now, now, err)
		ctrl.LoggerFrom(ctx).Error(err, "The API server refuses a write")
		return r.giveUp(ctx, req.NamespacedName, trial.UID, now)
	}
	r.Queue.failed(ownPass, trial, now.Add(outage), now, err)
	return result, err
}

// outage is how much longer a trial keeps its turn after an error that is likely to pass.
const outage = 30 * time.Second

// refusedAgain is how soon what the API server refused is tried again: whatever refuses it may change
// without an event.
const refusedAgain = 15 * time.Second

// giveUp waits until a write that was refused may succeed. If that lasts for the start timeout, it
// deletes all objects of the trial.
func (r *TrialReconciler) giveUp(ctx context.Context, name types.NamespacedName, uid types.UID, now time.Time) (ctrl.Result, error) {
	if failure, fails := r.Queue.failureOf(uid, now); fails && failure.hopeless(now, r.StartTimeout) {
		if err := r.clear(ctx, name); err != nil {
			return unlessStale(err)
		}
	}
	return ctrl.Result{RequeueAfter: refusedAgain}, nil
}

// clear deletes everything that a trial controls. The trial of an experiment that is deleted in the
// foreground exists for as long as anything keeps one of its objects.
func (r *TrialReconciler) clear(ctx context.Context, name types.NamespacedName) error {
	trial := &v1beta1.SizingTrial{}
	if err := r.Get(ctx, name, trial); err != nil {
		return client.IgnoreNotFound(err)
	}
	children, _, err := listChildren(ctx, r.Client, trial)
	if err != nil {
		return err
	}
	seen := &lifecycle.Observation{Trial: trial, Now: r.Clock.Now(), Ownership: lifecycle.ExperimentGone}
	r.noteLeftovers(seen, children)
	return r.sweep(ctx, seen)
}

// pass observes a trial, decides, acts, and writes the status.
func (r *TrialReconciler) pass(ctx context.Context, req ctrl.Request, trial *v1beta1.SizingTrial) (ctrl.Result, error) {
	seen, decision, err := r.assess(ctx, trial)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observing trial %s: %w", req, err)
	}
	if decision.Action == lifecycle.Harvest || decision.Action == lifecycle.Conclude {
		release, err := r.fixReference(ctx, seen)
		defer release()
		if err != nil {
			return ctrl.Result{}, fmt.Errorf("the reference speed for trial %s: %w", req, err)
		}
	}
	before := trial.DeepCopy()
	did, err := r.act(ctx, seen, decision)
	if apierrors.IsConflict(err) {
		return unlessStale(err)
	}
	if err = unlessTerminating(err); err != nil {
		return ctrl.Result{}, fmt.Errorf("trial %s, %s: %w", req, decision.Action, err)
	}
	r.show(seen, did.Decision)
	if err := patchStatus(ctx, r.Client, r.Live, trial, before); err != nil {
		return unlessStale(err)
	}
	r.tally(seen, before)
	did.events.send(r.Events, trial)
	did.log(ctrl.LoggerFrom(ctx), before, trial)
	return ctrl.Result{RequeueAfter: did.Again()}, nil
}

// assess observes a trial and decides what to do next. Before an attempt is broken off, it
// observes again without a cache: in a cache that is behind, which may be that of a new leader,
// a child that is on record can seem to be deleted.
func (r *TrialReconciler) assess(ctx context.Context, trial *v1beta1.SizingTrial) (*lifecycle.Observation, lifecycle.Decision, error) {
	seen, decision, err := r.assessFrom(ctx, r.Client, trial)
	if err == nil && decision.Action == lifecycle.Break {
		return r.assessFrom(ctx, r.Live, trial)
	}
	return seen, decision, err
}

func (r *TrialReconciler) assessFrom(ctx context.Context, reader client.Reader, trial *v1beta1.SizingTrial) (*lifecycle.Observation, lifecycle.Decision, error) {
	seen, err := r.observe(ctx, reader, trial)
	if err != nil {
		return nil, lifecycle.Decision{}, err
	}
	decision, err := r.decide(ctx, seen)
	if err != nil {
		return nil, lifecycle.Decision{}, fmt.Errorf("the load on the cluster: %w", err)
	}
	return seen, decision, nil
}

// decide returns what to do next. While the trial waits, and before an attempt or a load begins, it also
// observes whether the trial still has its turn, which it may not have been told. Before an attempt or a
// load it observes which other trials are under load: two generators at the same time would spoil both
// measurements. Both are read without a cache.
func (r *TrialReconciler) decide(ctx context.Context, seen *lifecycle.Observation) (lifecycle.Decision, error) {
	decision := lifecycle.Decide(seen)
	loads := decision.Action == lifecycle.Begin || decision.Action == lifecycle.Load
	if !loads && !queue.Waits(seen.Trial) {
		return decision, nil
	}
	lease := &coordinationv1.Lease{}
	if err := r.Live.Get(ctx, r.Turns, lease); client.IgnoreNotFound(err) != nil {
		return decision, err
	}
	holders := queue.Held(ptr.Deref(lease.Spec.HolderIdentity, ""))
	seen.NoTurn = seen.NoTurn || !slices.Contains(holders, client.ObjectKeyFromObject(seen.Trial))
	if !loads {
		return lifecycle.Decide(seen), nil
	}
	others, err := r.underLoad(ctx, seen)
	if err != nil {
		return decision, err
	}
	seen.OthersUnderLoad = others
	return lifecycle.Decide(seen), nil
}

// show writes the decision into the status for people to read. A trial that has only waited for
// its turn keeps the status that the API gives it by default.
func (r *TrialReconciler) show(seen *lifecycle.Observation, decision lifecycle.Decision) {
	trial := seen.Trial
	if decision.Action == lifecycle.Rest && trial.Status.ObservedGeneration <= 0 {
		return
	}
	if !trial.Status.Phase.Finished() {
		lifecycle.ShowProgress(trial, decision, seen.Suspended, seen.Now)
	}
	trial.Status.Leftovers = seen.StuckLeftovers()
	trial.Status.ObservedGeneration = trial.Generation
	trial.Status.Display = results.TrialDisplay(trial)
}
