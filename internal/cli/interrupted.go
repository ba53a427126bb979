package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// cleanupTime is how long an interrupted command can take to cancel or delete the
// experiment. A CI runner kills a job some seconds after it has interrupted it.
const cleanupTime = 8 * time.Second

// interruption is the error of a command that was stopped by the user or by its timeout.
// It is printed without the prefix "error:".
type interruption struct{ message string }

func (i interruption) Error() string { return i.message }

// Is makes errors.Is report it as context.Canceled.
func (i interruption) Is(target error) bool { return target == context.Canceled }

// stopped returns an error that says that the experiment goes on although it is no longer
// followed, because of the user or because of the timeout. ctx is the user's context,
// without the timeout.
func (f *follower) stopped(ctx context.Context, timeout time.Duration, err error) error {
	switch {
	case ctx.Err() != nil:
		return advised{interruption{fmt.Sprintf("interrupted; experiment %s goes on", f.key)}, howToGoOn(f.key)}
	case errors.Is(err, context.DeadlineExceeded):
		return advised{results.Late(f.last, f.others(ctx), timeout), fmt.Sprintf("experiment %s goes on\n%s", f.key, howToGoOn(f.key))}
	default:
		return err
	}
}

// others returns the experiments of the namespace, or nothing if they can't be listed.
func (f *follower) others(ctx context.Context) []v1alpha1.SizingExperiment {
	list := &v1alpha1.SizingExperimentList{}
	_ = f.cluster.List(ctx, list, client.InNamespace(f.key.Namespace))
	return list.Items
}

// howToGoOn returns the commands that watch or cancel an experiment that goes on.
func howToGoOn(key client.ObjectKey) string {
	return fmt.Sprintf("  to watch it:  kubectl hashmark watch %[2]s -n %[1]s\n"+
		"  to cancel it: kubectl hashmark cancel %[2]s -n %[1]s",
		key.Namespace, key.Name)
}

// cancel cancels the experiment in the cluster, which keeps what was measured. It also
// works if the context has ended, since that is when it is called.
func (f *follower) cancel(ctx context.Context) error {
	err := f.retry(ctx, func(ctx context.Context) error {
		return f.cluster.Patch(ctx, f.object(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"cancel":true}}`)))
	})
	if err != nil {
		return advised{fmt.Errorf("the experiment could not be cancelled and goes on: %w", refused(err, "patch", f.key)), howToGoOn(f.key)}
	}
	return nil
}

// remove deletes the experiment. The garbage collector deletes what it owns.
func (f *follower) remove(ctx context.Context) error {
	err := f.retry(ctx, func(ctx context.Context) error {
		return f.cluster.Delete(ctx, f.object(), client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &f.uid})
	})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("the experiment could not be deleted: %w", refused(err, "delete", f.key))
	}
	return nil
}

func (f *follower) object() *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: f.key.Namespace, Name: f.key.Name}}
}

// retry calls do until it succeeds, until its error is not transient, or for cleanupTime.
func (f *follower) retry(ctx context.Context, do func(context.Context) error) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer done()
	for {
		err := do(ctx)
		if err == nil || !transient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-f.clock.After(reconnects.Duration):
		}
	}
}
