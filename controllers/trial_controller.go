package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// TrialReconciler takes each SizingTrial through its attempts: deploy,
// calibrate, load, harvest, clean up.
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
	// CPUTime returns the CPU time that this process has used. Without it, the operator's CPU is
	// not part of the evidence.
	CPUTime func() (time.Duration, error)

	loads loadMeter
}

// Reconcile makes one pass over one trial.
func (r *TrialReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	trial := &v1alpha1.SizingTrial{}
	if err := r.Get(ctx, req.NamespacedName, trial); err != nil {
		r.loads.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if trial.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // garbage collection deletes its children
	}
	seen, decision, err := r.assess(ctx, trial)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observing trial %s: %w", req, err)
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
func (r *TrialReconciler) assess(ctx context.Context, trial *v1alpha1.SizingTrial) (*lifecycle.Observation, lifecycle.Decision, error) {
	seen, decision, err := r.assessFrom(ctx, r.Client, trial)
	if err == nil && decision.Action == lifecycle.Break {
		return r.assessFrom(ctx, r.Live, trial)
	}
	return seen, decision, err
}

func (r *TrialReconciler) assessFrom(ctx context.Context, reader client.Reader, trial *v1alpha1.SizingTrial) (*lifecycle.Observation, lifecycle.Decision, error) {
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

// decide returns what to do next. Before an attempt or a load begins, it also observes which
// other trials are under load, without a cache: two generators at the same time would spoil both
// measurements.
func (r *TrialReconciler) decide(ctx context.Context, seen *lifecycle.Observation) (lifecycle.Decision, error) {
	decision := lifecycle.Decide(seen)
	if decision.Action != lifecycle.Begin && decision.Action != lifecycle.Load {
		return decision, nil
	}
	others, err := r.underLoad(ctx, seen.Trial)
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
