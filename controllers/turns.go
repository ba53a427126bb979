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

	"github.com/hashmark-dev/hashmark/api/v1beta1"
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
	// Paused takes back all turns, and gives none.
	Paused bool
	// Queue receives the positions, and knows which trials can't go on.
	Queue *Queue
}

// Reconcile makes one pass over all experiments. The request has no meaning. What can't be read or
// written of one trial does not end the pass, because it would hold up all others.
func (r *TurnReconciler) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	lease, err := r.lease(ctx)
	if err != nil {
		return unlessStale(fmt.Errorf("lease %s: %w", r.Lease, err))
	}
	situation, err := r.observe(ctx, lease)
	if err != nil {
		return ctrl.Result{}, err
	}
	turns := queue.Decide(situation)
	if r.Paused {
		turns.Held = nil
	}
	if err := r.write(ctx, lease, turns); err != nil {
		return unlessStale(fmt.Errorf("lease %s: %w", r.Lease, err))
	}
	again := r.tell(ctx, situation, turns)
	r.Queue.set(situation.Experiments, turns.Position)
	continues := func(e v1beta1.SizingExperiment) bool { return queue.Continues(&e) }
	switch {
	case again:
		return ctrl.Result{RequeueAfter: staleAgain}, nil
	case len(turns.Held) > 0:
		return ctrl.Result{RequeueAfter: heldAgain}, nil
	case slices.ContainsFunc(situation.Experiments, continues):
		return ctrl.Result{RequeueAfter: turnsAgain}, nil
	}
	return ctrl.Result{}, nil
}

// turnsAgain is how soon turns are computed again without a reason, because an event can be lost.
const turnsAgain = time.Minute

// heldAgain is the same while somebody has a turn: that nothing of a trial can be written or read, or
// that a load has reached its deadline, is not an event.
const heldAgain = 15 * time.Second

// observe collects what turns are decided from.
func (r *TurnReconciler) observe(ctx context.Context, lease *coordinationv1.Lease) (queue.Situation, error) {
	now, before := r.Clock.Now(), queue.Held(ptr.Deref(lease.Spec.HolderIdentity, ""))
	s := queue.Situation{
		Limit: r.MaxConcurrent, Now: now, Failing: r.Queue.failing(now),
		History: queue.ReadHistory(lease.Annotations[historyAnnotation]).Count(before, now),
	}
	if r.Paused {
		s.Limit = 0
	}
	var err error
	if s.Experiments, s.Trials, err = r.waiting(ctx); err != nil {
		return s, err
	}
	if s.Held, err = r.held(ctx, before, s.Failing); err != nil {
		return s, err
	}
	loads, err := loadsIn(ctx, r.Client, now)
	s.Loading = map[types.UID]bool{}
	for i := range s.Trials {
		if trial := &s.Trials[i]; queue.Active(trial) {
			s.Loading[trial.UID] = false // its load counts as its turn
		}
	}
	for _, load := range loads {
		if _, counted := s.Loading[load.trial]; !counted {
			s.Held = append(s.Held, load.name) // its trial has ended or is gone
		}
		s.Loading[load.trial] = s.Loading[load.trial] || load.runs
	}
	return s, err
}

// historyAnnotation is the annotation of the Lease with what the namespaces have used.
const historyAnnotation = "hashmark.dev/history"

// tell gives the trials that have a turn their turn, and takes back those of all others. It reports
// whether the pass is to be repeated at once, because one of them has changed since it was read or
// can't have its turn.
func (r *TurnReconciler) tell(ctx context.Context, s queue.Situation, turns queue.Turns) (again bool) {
	for i := range s.Trials {
		trial := &s.Trials[i]
		tried, fails := s.Failing[trial.UID]
		if trial.Spec.Suspend || queue.Released(trial) || slices.Contains(turns.Held, client.ObjectKeyFromObject(trial)) ||
			fails && s.Now.Sub(tried) < heldAgain {
			continue
		}
		err := suspendTrial(ctx, r.Client, r.Live, trial.DeepCopy(), true)
		r.note(ctx, trial, err)
		again = again || apierrors.IsConflict(err)
	}
	for _, name := range turns.Held {
		trial := &v1beta1.SizingTrial{}
		err := r.Get(ctx, name, trial)
		if err == nil {
			err = r.give(ctx, trial)
			r.note(ctx, trial, err)
		}
		again = again || client.IgnoreNotFound(err) != nil
	}
	return again
}

// note notes that a trial can't be told about its turn. A turn that can't be given is free at once, and
// one that can't be taken back is worth nothing: no load begins without an entry in the Lease.
func (r *TurnReconciler) note(ctx context.Context, trial *v1beta1.SizingTrial, err error) {
	switch {
	case err == nil:
		r.Queue.succeeded(tellingTurn, trial.UID)
		return
	case apierrors.IsNotFound(err) || apierrors.IsConflict(err):
		return
	}
	ctrl.LoggerFrom(ctx).Error(err, "A trial can't be told about its turn", "namespace", trial.Namespace, "trial", trial.Name)
	now := r.Clock.Now()
	r.Queue.failed(tellingTurn, trial, now.Add(-queue.Patience), now, err)
}

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

// write writes the turns that are taken into the Lease, with what the namespaces have used, unless the
// Lease has been changed since it was read.
func (r *TurnReconciler) write(ctx context.Context, lease *coordinationv1.Lease, turns queue.Turns) error {
	holder := queue.Holder(turns.Held)
	if holder == ptr.Deref(lease.Spec.HolderIdentity, "") {
		return nil
	}
	lease.Spec.HolderIdentity = &holder
	lease.Spec.RenewTime = &metav1.MicroTime{Time: r.Clock.Now()}
	metav1.SetMetaDataAnnotation(&lease.ObjectMeta, historyAnnotation, turns.History.String())
	return r.Update(ctx, lease, client.DisableReadYourWritesConsistency)
}

// waiting lists all experiments, and the trials of those that have not finished. Most trials
// are of finished experiments, and reading them at each pass would be most of its work.
func (r *TurnReconciler) waiting(ctx context.Context) ([]v1beta1.SizingExperiment, []v1beta1.SizingTrial, error) {
	experiments := &v1beta1.SizingExperimentList{}
	if err := r.List(ctx, experiments, client.UnsafeDisableDeepCopy); err != nil {
		return nil, nil, err
	}
	var trials []v1beta1.SizingTrial
	for i := range experiments.Items {
		e := &experiments.Items[i]
		if e.Status.Phase.Finished() {
			continue
		}
		list := &v1beta1.SizingTrialList{}
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
func (r *TurnReconciler) held(ctx context.Context, names []types.NamespacedName, failing map[types.UID]time.Time) ([]types.NamespacedName, error) {
	var held []types.NamespacedName
	for _, name := range names {
		trial := &v1beta1.SizingTrial{}
		err := r.Live.Get(ctx, name, trial)
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) { // the latter in a namespace that is not watched any more
			continue
		}
		if err != nil {
			return nil, err
		}
		_, fails := failing[trial.UID]
		switch holds, err := r.holds(ctx, trial, fails); {
		case err != nil:
			return nil, err
		case holds:
			held = append(held, name)
		}
	}
	return held, nil
}

// holds reports whether a trial that is in the Lease still has its turn. One that can't be told about it
// has none, and nor has one that can't use it after its experiment was suspended or edited, or has ended.
// The cache is good enough for that: an experiment that was suspended since then takes its turn back, and
// one that was edited does not begin.
func (r *TurnReconciler) holds(ctx context.Context, trial *v1beta1.SizingTrial, fails bool) (bool, error) {
	active := queue.Active(trial)
	switch {
	case queue.Released(trial) || trial.DeletionTimestamp != nil || !active && fails:
		return false, nil
	case active && !fails && !queue.Waits(trial):
		return true, nil
	}
	experiment, err := experimentIn(ctx, r.Client, trial)
	return err == nil && experiment != nil && queue.Continues(experiment) && queue.Planned(experiment), err
}

// giveTurn is the action of the event about a turn.
const giveTurn = "GiveTurn"

// give lets a trial that is in the Lease begin, unless it already has. It was read from the cache, which
// is good enough: the write fails if the trial has changed since.
func (r *TurnReconciler) give(ctx context.Context, trial *v1beta1.SizingTrial) error {
	if !trial.Spec.Suspend || queue.Active(trial) || queue.Released(trial) {
		return nil
	}
	experiment, err := experimentIn(ctx, r.Client, trial)
	if err != nil || experiment == nil {
		return err
	}
	if begun, err := r.begin(ctx, experiment, trial); !begun {
		return err
	}
	if err := suspendTrial(ctx, r.Client, r.Live, trial, false); err != nil {
		return err
	}
	place := placeOf(experiment, trial)
	r.Events.Eventf(experiment, nil, normal, "TrialStarted", giveTurn, "%s", truncate(place))
	ctrl.LoggerFrom(ctx).Info(place, "action", giveTurn,
		"namespace", experiment.Namespace, "name", experiment.Name, "trial", trial.Name, "variant", trial.Spec.Variant.Name)
	return nil
}

// begin writes when an experiment began, before its first trial has its turn. From then on the spec can't
// be changed, so that no trial measures what an older spec planned. The write fails if the spec has been
// edited since it was accepted. A trial that the spec does not plan begins no experiment.
func (r *TurnReconciler) begin(ctx context.Context, experiment *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) (begun bool, _ error) {
	switch {
	case experiment.Status.StartTime != nil:
		return true, nil
	case !queue.Continues(experiment) || !queue.Planned(experiment) || !plans(experiment, trial):
		return false, nil
	}
	before := experiment.DeepCopy()
	experiment.Status.StartTime = &metav1.Time{Time: r.Clock.Now()}
	err := patchStatus(ctx, r.Client, r.Live, experiment, before)
	return err == nil, err
}

// suspendTrial gives a trial its turn, or takes it back, unless the trial has changed since it
// was read.
func suspendTrial(ctx context.Context, c client.Client, live client.Reader, trial *v1beta1.SizingTrial, suspend bool) error {
	before := trial.DeepCopy()
	trial.Spec.Suspend = suspend
	return setUnchanged(ctx, c, live, before, "/spec/suspend", suspend, func(patch client.Patch) error {
		return c.Patch(ctx, trial, patch)
	})
}

// placeOf says which of its experiment's trials a trial is.
func placeOf(experiment *v1beta1.SizingExperiment, trial *v1beta1.SizingTrial) string {
	planned, err := matrix.Plan(experiment, matrix.Seed(experiment))
	if err != nil { // the experiment would have been refused, and would have no trial
		return describe(trial)
	}
	return fmt.Sprintf("Trial %d of %d: %s", trial.Spec.Sequence, trialCount(experiment, len(planned)), describe(trial))
}
