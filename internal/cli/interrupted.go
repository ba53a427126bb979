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
	"github.com/hashmark-dev/hashmark/internal/smoke"
)

// farewellTime is how long an interrupted command may still take to cancel or to
// delete: what runs CI kills a job some seconds after it has interrupted it.
const farewellTime = 8 * time.Second

// interruption is the end of a command that someone stopped: no failure of its
// own, and no answer.
type interruption struct{ words string }

func (i interruption) Error() string { return i.words }

// Is lets it be known as what it came from.
func (i interruption) Is(target error) bool { return target == context.Canceled }

// stopped says what becomes of an experiment that is followed no longer, because
// of the user, or because its time is up. What ended the wait is in the outer
// context, which is the user's.
func (f *follower) stopped(ctx context.Context, timeout time.Duration, why error) error {
	switch {
	case ctx.Err() != nil:
		return interruption{fmt.Sprintf("interrupted; experiment %s goes on\n%s", f.key, howToGoOn(f.key))}
	case errors.Is(why, context.DeadlineExceeded):
		return fmt.Errorf("%w\nexperiment %s goes on\n%s", smoke.Late(f.last, f.others(ctx), timeout), f.key, howToGoOn(f.key))
	default:
		return why
	}
}

// others are the experiments of the namespace, as far as they can be listed.
func (f *follower) others(ctx context.Context) []v1alpha1.SizingExperiment {
	list := &v1alpha1.SizingExperimentList{}
	_ = f.cluster.List(ctx, list, client.InNamespace(f.key.Namespace))
	return list.Items
}

// howToGoOn says how to watch an experiment that is left running, and how to
// end it.
func howToGoOn(key client.ObjectKey) string {
	return fmt.Sprintf("  to watch it:  kubectl hashmark watch %[2]s -n %[1]s\n"+
		"  to cancel it: kubectl patch sizingexperiment %[2]s -n %[1]s --type=merge -p '{\"spec\":{\"cancel\":true}}'",
		key.Namespace, key.Name)
}

// cancel ends the experiment in the cluster, which keeps what was measured. The
// context may have ended, since that is what cancels.
func (f *follower) cancel(ctx context.Context) error {
	err := f.insist(ctx, func(ctx context.Context) error {
		return f.cluster.Patch(ctx, f.named(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"cancel":true}}`)))
	})
	if err != nil {
		return fmt.Errorf("it could not be cancelled, and goes on: %w\n%s", refused(err, "patch", f.key), howToGoOn(f.key))
	}
	return nil
}

// remove deletes the experiment; the garbage collector takes what it made.
func (f *follower) remove(ctx context.Context) error {
	err := f.insist(ctx, func(ctx context.Context) error {
		return f.cluster.Delete(ctx, f.named(), client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &f.uid})
	})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("it could not be deleted: %w", refused(err, "delete", f.key))
	}
	return nil
}

func (f *follower) named() *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: f.key.Namespace, Name: f.key.Name}}
}

// insist does something for as long as it may take, past what passes by itself.
func (f *follower) insist(ctx context.Context, do func(context.Context) error) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), farewellTime)
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
