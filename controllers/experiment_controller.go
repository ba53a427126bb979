package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// ExperimentReconciler creates the trials of each SizingExperiment when their turns are near,
// and collects their results.
type ExperimentReconciler struct {
	client.Client
	// Live reads the API server without a cache.
	Live client.Reader
	// Clock provides the time of a pass.
	Clock clock.PassiveClock
	// Events records events.
	Events events.EventRecorder
	// Queue has the positions of waiting experiments.
	Queue *Queue
	// Settings are the operator's settings for all trials.
	Settings objects.Settings
	// StartTimeout is how long a trial may wait for what it can't change.
	StartTimeout time.Duration
	// Paused means that an administrator has paused the operator.
	Paused bool

	// checks are of specs, conclusions of trials.
	checks      recent[error]
	conclusions recent[conclusion]
}

// Reconcile makes one pass over one experiment.
func (r *ExperimentReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	experiment := &v1beta1.SizingExperiment{}
	if err := r.Get(ctx, req.NamespacedName, experiment); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if experiment.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // garbage collection deletes its trials
	}
	before := experiment.DeepCopy()
	pass := &experimentPass{ExperimentReconciler: r, experiment: experiment, now: r.Clock.Now()}
	again, err := pass.run(ctx)
	if err = unlessTerminating(err); err != nil {
		return unlessStale(fmt.Errorf("experiment %s: %w", req, err))
	}
	ctx, cancel := timeToWrite(ctx)
	defer cancel()
	err = patchStatus(ctx, r.Client, r.Live, experiment, before)
	if refused, is := errors.AsType[*refusedError](asRefused(err)); is {
		r.Events.Eventf(experiment, nil, warning, refused.reason, "WriteStatus", "%s", truncate("The cluster refuses the status: "+refused.message))
		ctrl.LoggerFrom(ctx).Error(err, "The API server refuses a status")
		return ctrl.Result{RequeueAfter: refresh}, nil
	}
	if err != nil {
		return unlessStale(err)
	}
	pass.events.send(r.Events, experiment)
	pass.log(ctrl.LoggerFrom(ctx), before)
	return ctrl.Result{RequeueAfter: again}, nil
}

// run does what the experiment's state requires, and returns when to check again.
func (p *experimentPass) run(ctx context.Context) (again time.Duration, err error) {
	if hasEnded(p.experiment) {
		return p.afterEnd(ctx)
	}
	if err := p.readPolicy(ctx); err != nil {
		return 0, err
	}
	refused := p.accept()
	if err := p.observe(ctx); err != nil {
		return 0, err
	}
	if refused {
		return 0, p.dropAllOutdated(ctx)
	}
	if err = p.dropOutdated(ctx); err == nil {
		err = p.plan(ctx)
	}
	if err != nil {
		return p.blocked(err)
	}
	if err := p.takeTurnsBack(ctx); err != nil {
		return 0, err
	}
	if err := p.gather(); err != nil {
		return 0, err
	}
	if p.allReleased() {
		return 0, p.conclude(ctx)
	}
	p.show()
	if len(p.experiment.Status.Progress.Running) > 0 {
		return refresh, nil
	}
	return waitingRefresh, nil
}
