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

// teller tells how an experiment goes.
type teller interface {
	// shows is called with each change, the first sight included.
	shows(e *v1alpha1.SizingExperiment)
	// passes is called each second.
	passes()
	// loses is called when the API server is away, finds when it is back.
	loses(err error)
	finds()
	// ends is called once, at the last.
	ends()
}

// errGone means that the experiment was deleted while it was followed.
var errGone = errors.New("the experiment was deleted before it ended; its results are gone with it")

// reconnects says how long to wait between tries to reach an API server: soon
// at first, since most are back at once.
var reconnects = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 8, Cap: 15 * time.Second}

// follower watches one experiment until it ends.
type follower struct {
	cluster client.WithWatch
	clock   clock.WithTicker
	tell    teller
	// uid keeps it from following another experiment that took the name.
	uid  types.UID
	key  client.ObjectKey
	away bool
	// last is how the experiment was seen last.
	last *v1alpha1.SizingExperiment
}

func newFollower(c *connection, cluster client.WithWatch, e *v1alpha1.SizingExperiment) *follower {
	return &follower{
		cluster: cluster, clock: c.program.Clock, tell: c.program.newTeller(),
		uid: e.UID, key: client.ObjectKeyFromObject(e), last: e,
	}
}

// follow gives the experiment as it ended. It outlives an API server that is
// away, for as long as the context lasts; it gives up where it may not look, and
// where the experiment was deleted.
func (f *follower) follow(ctx context.Context) (*v1alpha1.SizingExperiment, error) {
	defer f.tell.ends()
	delay := reconnects.DelayFunc()
	for {
		e, err := f.look(ctx)
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
			f.lose(err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.clock.After(delay()):
		}
	}
}

// followWithin follows for so long at the most; 0 is for as long as it takes.
func (f *follower) followWithin(ctx context.Context, timeout time.Duration) (*v1alpha1.SizingExperiment, error) {
	if timeout <= 0 {
		return f.follow(ctx)
	}
	ctx, done := context.WithTimeout(ctx, timeout)
	defer done()
	return f.follow(ctx)
}

// look lists the experiment and watches it from there, until it has ended or the
// watch has.
func (f *follower) look(ctx context.Context) (*v1alpha1.SizingExperiment, error) {
	only := []client.ListOption{
		client.InNamespace(f.key.Namespace),
		client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", f.key.Name)},
	}
	list := &v1alpha1.SizingExperimentList{}
	if err := f.cluster.List(ctx, list, only...); err != nil {
		return nil, f.said(err)
	}
	f.find()
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
		return nil, f.said(err)
	}
	defer events.Stop()
	return f.hear(ctx, e, events)
}

// hear follows one watch. Its end is no error: the last state is given back.
func (f *follower) hear(ctx context.Context, e *v1alpha1.SizingExperiment, events watch.Interface) (*v1alpha1.SizingExperiment, error) {
	second := f.clock.NewTicker(time.Second)
	defer second.Stop()
	for !e.Status.Phase.Finished() {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-second.C():
			f.tell.passes()
		case event, open := <-events.ResultChan():
			seen, isOne := event.Object.(*v1alpha1.SizingExperiment)
			switch {
			case !open || event.Type == watch.Error: // such as a version that is too old: list anew
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
	f.tell.shows(e)
}

func (f *follower) isAnother(e *v1alpha1.SizingExperiment) bool {
	return e.UID != f.uid
}

// said turns what nobody can wait out into a sentence.
func (f *follower) said(err error) error {
	if transient(err) {
		return err
	}
	return refused(err, "watch", f.key)
}

// transient errors pass by themselves: an API server that restarts refuses
// connections, then says that it is not ready.
func transient(err error) bool {
	switch {
	case errors.Is(err, errGone), apierrors.IsForbidden(err), apierrors.IsUnauthorized(err), apierrors.IsNotFound(err):
		return false
	default:
		return unreachable(err) || apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) ||
			apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err)
	}
}

// lose tells only once that the API server is away.
func (f *follower) lose(err error) {
	if !f.away {
		f.away = true
		f.tell.loses(err)
	}
}

func (f *follower) find() {
	if f.away {
		f.away = false
		f.tell.finds()
	}
}
