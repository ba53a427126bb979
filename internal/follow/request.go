package follow

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const (
	// cleanupTime is how long the requests of an interrupted program can take. A CI runner kills a job some
	// seconds after it has interrupted it.
	cleanupTime = 8 * time.Second
	// retryInterval is short, since most API servers are back soon.
	retryInterval = 500 * time.Millisecond
)

// Create creates an experiment. An interrupted request still gets its answer, for a while, so that the caller
// knows whether there is an experiment to cancel or to delete.
func Create(ctx context.Context, cluster client.Client, e client.Object, options ...client.CreateOption) error {
	request, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(cleanupTime, cancel) })
	defer stop()
	key := client.ObjectKeyFromObject(e)
	return Refused(cluster.Create(request, e, options...), "create", key)
}

// Cancel cancels an experiment, which keeps what was measured.
func Cancel(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment) error {
	err := retry(ctx, func(ctx context.Context) error {
		return cluster.Patch(ctx, named(e), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"cancel":true}}`)))
	})
	if err != nil {
		return fmt.Errorf("the experiment could not be cancelled and goes on: %w", Refused(err, "patch", client.ObjectKeyFromObject(e)))
	}
	return nil
}

// Delete deletes an experiment, if it exists. The garbage collector deletes what it owns.
func Delete(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment) error {
	err := retry(ctx, func(ctx context.Context) error {
		background, uid := client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &e.UID}
		err := cluster.Delete(ctx, named(e), background, uid)
		if apierrors.IsConflict(err) { // another experiment has its name by now
			return nil
		}
		return client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("the experiment could not be deleted; run: kubectl delete sizingexperiment -n %s %s (%w)",
			e.Namespace, e.Name, Refused(err, "delete", client.ObjectKeyFromObject(e)))
	}
	return nil
}

func named(e *v1beta1.SizingExperiment) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: e.Name}}
}

// retry calls do until it succeeds or its error does not go away by itself, for cleanupTime. It also does so after
// the context has ended, since that is when experiments are cancelled and deleted.
func retry(ctx context.Context, do func(context.Context) error) (err error) {
	_ = wait.PollUntilContextTimeout(context.WithoutCancel(ctx), retryInterval, cleanupTime, true, func(ctx context.Context) (bool, error) {
		err = do(ctx)
		return !transient(err), nil
	})
	return err
}
