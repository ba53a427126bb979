package controllers

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// Queue holds the positions that the last pass over the turns computed, for the passes over the
// experiments. It can be lost at any time: the next pass computes the same again.
type Queue struct {
	lock sync.Mutex
	// positions is nil before the first pass over the turns.
	positions map[types.UID]int32
	// requests is the work queue of the experiment controller.
	requests workqueue.TypedRateLimitingInterface[reconcile.Request]
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
func (q *Queue) set(experiments []v1alpha1.SizingExperiment, positions map[types.UID]int32) {
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

// position returns an experiment's position in the queue, or 0 if it does not wait for its
// turn. It returns false before the first pass over the turns.
func (q *Queue) position(uid types.UID) (position int32, known bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	return q.positions[uid], q.positions != nil
}
