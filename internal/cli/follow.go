package cli

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// reporter shows the progress of an experiment.
type reporter interface {
	// update is called with the first state and after each change.
	update(e *v1alpha1.SizingExperiment)
	// tick is called each second.
	tick()
	// disconnected is called when the API server can't be reached, reconnected when it
	// can be reached again.
	disconnected(err error)
	reconnected()
	// done is called once, at the end.
	done()
}

// errGone means that the experiment was deleted while it was followed.
var errGone = errors.New("the experiment was deleted before it finished, and its results with it")

// reconnects is the delay between attempts to reach the API server. It starts short,
// since most servers are back soon.
var reconnects = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 8, Cap: 15 * time.Second}

// follower watches one experiment until it finishes.
type follower struct {
	cluster  client.WithWatch
	clock    clock.WithTicker
	reporter reporter
	// uid identifies the experiment, so that another one with the same name is not followed.
	uid  types.UID
	key  client.ObjectKey
	away bool
	// last is the last state that was seen.
	last *v1alpha1.SizingExperiment
}

func newFollower(c *connection, cluster client.WithWatch, e *v1alpha1.SizingExperiment) *follower {
	return &follower{
		cluster: cluster, clock: c.program.Clock, reporter: c.program.newReporter(),
		uid: e.UID, key: client.ObjectKeyFromObject(e), last: e,
	}
}

// follow waits until the experiment has finished and returns it. While the API server
// can't be reached, it retries until the context ends. It returns an error if a right is
// missing or the experiment was deleted.
func (f *follower) follow(ctx context.Context) (*v1alpha1.SizingExperiment, error) {
	defer f.reporter.done()
	delay := reconnects.DelayFunc()
	for {
		e, err := f.listAndWatch(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && e.Status.Phase.Finished():
			return e, nil
		case err == nil: // the API server ends each watch after some minutes
			delay = reconnects.DelayFunc()
		case !transient(err):
			return nil, err
		default:
			f.disconnected(err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.clock.After(delay()):
		}
	}
}

// followWithin is follow with a timeout. 0 means no timeout.
func (f *follower) followWithin(ctx context.Context, timeout time.Duration) (*v1alpha1.SizingExperiment, error) {
	if timeout <= 0 {
		return f.follow(ctx)
	}
	ctx, done := context.WithTimeout(ctx, timeout)
	defer done()
	return f.follow(ctx)
}

// listAndWatch lists the experiment and watches it from there, until the experiment has
// finished or the watch has ended.
func (f *follower) listAndWatch(ctx context.Context) (*v1alpha1.SizingExperiment, error) {
	only := []client.ListOption{
		client.InNamespace(f.key.Namespace),
		client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", f.key.Name)},
	}
	list := &v1alpha1.SizingExperimentList{}
	if err := f.cluster.List(ctx, list, only...); err != nil {
		return nil, f.explain(err)
	}
	f.reconnected()
	if len(list.Items) == 0 || f.isAnother(&list.Items[0]) {
		return nil, errGone
	}
	e := &list.Items[0]
	f.show(e)
	if e.Status.Phase.Finished() {
		return e, nil
	}
	only = append(only, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}})
	events, err := f.cluster.Watch(ctx, &v1alpha1.SizingExperimentList{}, only...)
	if err != nil {
		return nil, f.explain(err)
	}
	defer events.Stop()
	return f.handle(ctx, e, events)
}

// handle handles the events of one watch. If the watch ends, it returns the last state
// and no error.
func (f *follower) handle(ctx context.Context, e *v1alpha1.SizingExperiment, events watch.Interface) (*v1alpha1.SizingExperiment, error) {
	second := f.clock.NewTicker(time.Second)
	defer second.Stop()
	for !e.Status.Phase.Finished() {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-second.C():
			f.reporter.tick()
		case event, open := <-events.ResultChan():
			seen, isOne := event.Object.(*v1alpha1.SizingExperiment)
			switch {
			case !open || event.Type == watch.Error: // such as a resource version that is too old: list again
				return e, nil
			case !isOne:
			case event.Type == watch.Deleted, f.isAnother(seen):
				return nil, errGone
			default:
				e = seen
				f.show(e)
			}
		}
	}
	return e, nil
}

func (f *follower) show(e *v1alpha1.SizingExperiment) {
	f.last = e
	f.reporter.update(e)
}

func (f *follower) isAnother(e *v1alpha1.SizingExperiment) bool {
	return e.UID != f.uid
}

// explain returns transient errors as they are, and a readable message for all others.
func (f *follower) explain(err error) error {
	if transient(err) {
		return err
	}
	return refused(err, "watch", f.key)
}

// transient reports whether an error goes away by itself: an API server that restarts
// refuses connections, then says that it is not ready.
func transient(err error) bool {
	switch {
	case errors.Is(err, errGone), apierrors.IsForbidden(err), apierrors.IsUnauthorized(err), apierrors.IsNotFound(err):
		return false
	default:
		return unreachable(err) || apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) ||
			apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err)
	}
}

// disconnected reports once that the API server can't be reached.
func (f *follower) disconnected(err error) {
	if !f.away {
		f.away = true
		f.reporter.disconnected(err)
	}
}

func (f *follower) reconnected() {
	if f.away {
		f.away = false
		f.reporter.reconnected()
	}
}
