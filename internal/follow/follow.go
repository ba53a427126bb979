package follow

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Reporter shows the progress of an experiment. Its methods are called one at a time.
type Reporter interface {
	// Update is called with the first state and after each change.
	Update(e *v1beta1.SizingExperiment)
	// Tick is called each second.
	Tick()
	// Disconnected is called when the API server can't be reached.
	Disconnected(err error)
	// Reconnected is called when the API server can be reached again.
	Reconnected()
	// Done is called once, at the end.
	Done()
}

// ErrGone means that the experiment was deleted while it was followed.
var ErrGone = errors.New("the experiment was deleted before it finished, and its results with it")

// UntilFinished follows an experiment until it has finished, and returns the last state that it has seen. If the
// experiment has a generation, an end of an earlier one does not count. A timeout of 0 means none. While the API server can't be reached, it retries. It returns the error of the
// context, [context.DeadlineExceeded] after the timeout, [ErrGone], or an error that says which right is missing.
func UntilFinished(
	ctx context.Context, cluster client.WithWatch, e *v1beta1.SizingExperiment, timeout time.Duration, reporter Reporter,
) (*v1beta1.SizingExperiment, error) {
	ctx, cancel := watchtools.ContextWithOptionalTimeout(ctx, max(timeout, 0))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	f := &follower{cluster: cluster, followed: e, end: end, reporter: reporter}
	var ticks sync.WaitGroup
	ticks.Go(func() { wait.UntilWithContext(ctx, func(context.Context) { f.report(Reporter.Tick) }, time.Second) })
	defer func() {
		end(nil)
		ticks.Wait()
		reporter.Done()
	}()
	last := e
	quiet := klog.NewContext(ctx, logr.Discard()) // the reporter shows lost connections, which client-go logs
	objects := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{ListWithContextFunc: f.list, WatchFuncWithContext: f.watch}, f)
	_, err := watchtools.UntilWithSync(quiet, objects, e, nil, func(event watch.Event) (bool, error) {
		seen, is := event.Object.(*v1beta1.SizingExperiment)
		if !is || event.Type == watch.Deleted || seen.UID != e.UID {
			return false, ErrGone
		}
		last = seen
		f.report(func(r Reporter) { r.Update(seen) })
		return seen.Status.Phase.Finished() && (e.Generation == 0 || seen.Status.ObservedGeneration >= e.Generation), nil
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return last, err
}

// follower lists and watches one experiment for client-go, which retries.
type follower struct {
	cluster  client.WithWatch
	followed *v1beta1.SizingExperiment
	// end stops following with an error.
	end context.CancelCauseFunc

	mutex    sync.Mutex // guards what follows
	reporter Reporter
	away     bool
}

// IsWatchListSemanticsUnSupported makes client-go list before it watches: a list without the experiment shows
// that it is gone.
func (f *follower) IsWatchListSemanticsUnSupported() bool { return true }

// list ignores client-go's resource version: an older list may not have the experiment yet.
func (f *follower) list(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
	list := &v1beta1.SizingExperimentList{}
	err := f.checked(ctx, f.cluster.List(ctx, list, f.selected()...))
	if err == nil && (len(list.Items) == 0 || list.Items[0].UID != f.followed.UID) {
		f.end(ErrGone)
	}
	return list, err
}

func (f *follower) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	events, err := f.cluster.Watch(ctx, &v1beta1.SizingExperimentList{}, append(f.selected(), &client.ListOptions{Raw: &options})...)
	return events, f.checked(ctx, err)
}

// selected selects the experiment by name. Another one of that name is found by its UID.
func (f *follower) selected() []client.ListOption {
	return []client.ListOption{client.InNamespace(f.followed.Namespace), client.MatchingFields{metav1.ObjectNameField: f.followed.Name}}
}

// checked reports whether the API server can be reached, and stops following after an error that does not go
// away by itself.
func (f *follower) checked(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil, apierrors.IsResourceExpired(err), apierrors.IsGone(err): // client-go lists again
	case err == nil, transient(err):
		f.connected(err)
	default:
		f.end(Refused(err, "watch", client.ObjectKeyFromObject(f.followed)))
	}
	return err
}

// connected reports a lost connection once, until there is one again.
func (f *follower) connected(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	switch {
	case err != nil && !f.away:
		f.reporter.Disconnected(err)
	case err == nil && f.away:
		f.reporter.Reconnected()
	}
	f.away = err != nil
}

func (f *follower) report(call func(Reporter)) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	call(f.reporter)
}
