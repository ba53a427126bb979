package controllers

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// Queue holds what the passes over turns, experiments and trials tell each other: the positions that
// the last pass over the turns computed, and which trials can't go on. It can be lost at any time: the
// next passes find the same again.
type Queue struct {
	lock sync.Mutex
	// positions is nil before the first pass over the turns.
	positions map[types.UID]int32
	// failures are what has failed again and again.
	failures map[trialStep]failure
	// requests is the work queue of the experiment controller.
	requests workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// trialStep is what can fail for a trial: its own pass, or telling it about its turn.
type trialStep struct {
	trial types.UID
	step  string
}

// The steps that can fail.
const (
	ownPass     = "its pass"
	tellingTurn = "telling it about its turn"
)

// failure is an error that has kept a trial from going on, in each pass since some time.
type failure struct {
	since, last time.Time
	err         error
	refused     bool // an error that is likely to pass is not
}

// Start implements source.Source: an experiment is reconciled when its position changes as
// the status shows it.
func (q *Queue) Start(_ context.Context, requests workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.requests = requests
	return nil
}

// set replaces the positions, and requests a pass over each unfinished experiment whose
// position changed. After the first pass over the turns that is each one.
func (q *Queue) set(experiments []v1beta1.SizingExperiment, positions map[types.UID]int32) {
	q.lock.Lock()
	defer q.lock.Unlock()
	first := q.positions == nil
	for i := range experiments {
		e := &experiments[i]
		changed := queue.Shown(q.positions[e.UID]) != queue.Shown(positions[e.UID])
		if (first || changed) && !e.Status.Phase.Finished() && q.requests != nil {
			q.requests.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e)})
		}
	}
	q.positions = positions
}

// failed notes that a trial can't go on since some time, and requests a pass over its experiment, which
// shows why. The API server may refuse a write for as long as somebody wants it to, so the trial's turn
// is then free for others.
func (q *Queue) failed(step string, trial *v1beta1.SizingTrial, since, now time.Time, err error) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if q.failures == nil {
		q.failures = map[trialStep]failure{}
	}
	of := trialStep{trial.UID, step}
	f, known := q.failures[of]
	told := known && f.lasts(f.last) && f.err.Error() == err.Error()
	if !known || since.Before(f.since) {
		f.since = since
	}
	f.last, f.err = now, err
	_, f.refused = errors.AsType[*refusedError](asRefused(err))
	q.failures[of] = f
	if owner := metav1.GetControllerOfNoCopy(trial); owner != nil && q.requests != nil && !told && f.lasts(now) {
		q.requests.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: trial.Namespace, Name: owner.Name}})
	}
}

func (q *Queue) succeeded(step string, trial types.UID) {
	q.lock.Lock()
	defer q.lock.Unlock()
	delete(q.failures, trialStep{trial, step})
}

// lasts reports whether something fails for longer than a trial may keep its turn meanwhile.
func (f failure) lasts(now time.Time) bool { return now.Sub(f.since) >= queue.Patience }

// hopeless reports whether a trial is given up.
func (f failure) hopeless(now time.Time, startTimeout time.Duration) bool {
	return f.refused && now.Sub(f.since) >= startTimeout
}

// failureOf returns what has kept a trial from going on for a while, if anything.
func (q *Queue) failureOf(trial types.UID, now time.Time) (failure, bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for _, step := range []string{ownPass, tellingTurn} {
		if f, known := q.failures[trialStep{trial, step}]; known && f.lasts(now) {
			return f, true
		}
	}
	return failure{}, false
}

// failing returns when the trials were last tried that can't go on for a while. It forgets those
// that have not been tried for an hour, since they are deleted.
func (q *Queue) failing(now time.Time) map[types.UID]time.Time {
	q.lock.Lock()
	defer q.lock.Unlock()
	tried := map[types.UID]time.Time{}
	for of, f := range q.failures {
		switch {
		case now.Sub(f.last) > time.Hour:
			delete(q.failures, of)
		case f.lasts(now) && f.last.After(tried[of.trial]):
			tried[of.trial] = f.last
		}
	}
	return tried
}

func (q *Queue) all() map[types.UID]int32 {
	q.lock.Lock()
	defer q.lock.Unlock()
	return maps.Clone(q.positions)
}

// position returns an experiment's position in the queue, or 0 if it does not wait for its
// turn. It returns false before the first pass over the turns.
func (q *Queue) position(uid types.UID) (position int32, known bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	return q.positions[uid], q.positions != nil
}
