//go:build e2e && chaos

package e2e

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func jobDeleted(t *testing.T, c *chaos) {
	startOperator(t)
	e := c.experiment(t, "job", longer(10), tries(4))
	policies := []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan}
	for i, policy := range policies {
		until(t, time.Minute, fmt.Sprintf("attempt %d to be under load", i+1), func() (bool, string) {
			attempts := theTrial(t, e).Status.Attempts
			return len(attempts) == i+1 && loads(*theTrial(t, e)), standing(t, e)
		})
		underLoad(t, e)
		must(t, cluster.Delete(t.Context(), &jobsOf(t, e)[0], client.PropagationPolicy(policy)))
	}
	// In the foreground, the pod is deleted before the Job.
	c.holds(t, e, 3*time.Minute, v1beta1.ReasonJobDeleted, v1beta1.ReasonGeneratorKilled)
	// The pod that was orphaned has no owner any more, with which it would be deleted.
	for _, orphan := range podsOf(t, e, v1beta1.ComponentGenerator) {
		must(t, cluster.Delete(t.Context(), &orphan))
	}
	t.Logf("%d Jobs deleted", len(policies))
}

// foreign is a finalizer that nobody removes.
const foreign = "example.com/hold"

// Somebody's finalizers keep the Job, its pod and the service's pod when the Job is deleted. The
// next attempt must not wait for them for ever.
func foreignFinalizers(t *testing.T, c *chaos) {
	startOperator(t)
	e := c.experiment(t, "finalizers", longer(10))
	underLoad(t, e)
	held := []client.Object{&jobsOf(t, e)[0], &podsOf(t, e, v1beta1.ComponentGenerator)[0], &podsOf(t, e, v1beta1.ComponentService)[0]}
	for _, object := range held {
		hold(t, object, controllerutil.AddFinalizer)
		t.Cleanup(func() { hold(t, object, controllerutil.RemoveFinalizer) })
	}
	must(t, cluster.Delete(t.Context(), held[0], client.PropagationPolicy(metav1.DeletePropagationBackground)))
	c.holds(t, e, 4*time.Minute, v1beta1.ReasonJobDeleted)
	for i, object := range held {
		refresh(t, object)
		// The garbage collector deletes the Job's pod after the Job.
		if ofTheJob := i == 1; object.GetDeletionTimestamp() == nil && !ofTheJob {
			t.Errorf("%T %s was not deleted", object, object.GetName())
		}
		hold(t, object, controllerutil.RemoveFinalizer)
	}
	t.Logf("%d objects were held", len(held))
}

// hold adds or removes the finalizer of an object, unless the object is gone.
func hold(t *testing.T, object client.Object, change func(client.Object, string) bool) {
	t.Helper()
	// The test's context has ended when its cleanup runs.
	ctx := context.Background()
	if err := cluster.Get(ctx, client.ObjectKeyFromObject(object), object); apierrors.IsNotFound(err) {
		return
	}
	before := object.DeepCopyObject().(client.Object)
	change(object, foreign)
	must(t, client.IgnoreNotFound(cluster.Patch(ctx, object, client.MergeFrom(before))))
}

// Every writer edits an annotation of the experiment and its trials every ten seconds, and the
// first one also what a user may change of the spec.
func fiftyWriters(t *testing.T, c *chaos) {
	const writers = 50
	startOperator(t)
	e := c.experiment(t, "edited", costs(4, 6))
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var written atomic.Int64
	for writer := range writers {
		group.Go(func() {
			// The writers do not write all at once.
			for pause := time.Duration(writer) * 200 * time.Millisecond; ; pause = 10 * time.Second {
				select {
				case <-ctx.Done():
					return
				case <-time.After(pause):
					written.Add(scribble(ctx, e, writer))
				}
			}
		})
	}
	t.Cleanup(stop)
	finished(t, e, 3*time.Minute)
	stop()
	group.Wait()
	c.holds(t, e, time.Minute)
	t.Logf("%d writers made %d writes", writers, written.Load())
}

// scribble edits an experiment and its trials, and returns how many writes succeeded.
func scribble(ctx context.Context, e *v1beta1.SizingExperiment, writer int) (written int64) {
	trials := &v1beta1.SizingTrialList{}
	if cluster.List(ctx, trials, client.InNamespace(e.Namespace), client.MatchingLabels{v1beta1.LabelExperimentUID: string(e.UID)}) != nil {
		return 0
	}
	edited := []client.Object{&v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: e.Name}}}
	for i := range trials.Items {
		edited = append(edited, &trials.Items[i])
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"example.com/writer-%d":"%d"}}}`, writer, time.Now().UnixNano())
	if writer == 0 {
		ttl := fmt.Sprintf(`{"spec":{"ttlSecondsAfterFinished":%d}}`, 3600+time.Now().Second())
		if cluster.Patch(ctx, edited[0], client.RawPatch(types.MergePatchType, []byte(ttl))) == nil {
			written++
		}
	}
	for _, object := range edited {
		if cluster.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(patch))) == nil {
			written++
		}
	}
	return written
}

// An experiment is deleted in another stage each time, and created again at once under the same
// name.
func recreated(t *testing.T, c *chaos) {
	const times = 20
	startOperator(t)
	stages := []func(*testing.T, *v1beta1.SizingExperiment){
		func(*testing.T, *v1beta1.SizingExperiment) {},
		func(t *testing.T, e *v1beta1.SizingExperiment) { theTrial(t, e) },
		func(t *testing.T, e *v1beta1.SizingExperiment) {
			until(t, time.Minute, "the service's pod", func() (bool, string) {
				return len(podsOf(t, e, v1beta1.ComponentService)) > 0, standing(t, e)
			})
		},
		func(t *testing.T, e *v1beta1.SizingExperiment) { underLoad(t, e) },
	}
	var deleted []*v1beta1.SizingExperiment
	for i := range times {
		e := c.experiment(t, "again", longer(10))
		stages[i%len(stages)](t, e)
		must(t, cluster.Delete(t.Context(), e))
		until(t, 30*time.Second, e.Name+" to be gone", func() (bool, string) {
			err := cluster.Get(t.Context(), client.ObjectKeyFromObject(e), &v1beta1.SizingExperiment{})
			return apierrors.IsNotFound(err), fmt.Sprint(err)
		})
		deleted = append(deleted, e)
	}
	last := c.experiment(t, "again")
	nothingLeft(t, c.ns, deleted...)
	c.holds(t, last, 3*time.Minute)
	t.Logf("%d experiments deleted and created again", len(deleted))
}

func jobsOf(t *testing.T, e *v1beta1.SizingExperiment) []batchv1.Job {
	t.Helper()
	jobs := &batchv1.JobList{}
	must(t, cluster.List(t.Context(), jobs, client.InNamespace(e.Namespace),
		client.MatchingLabels{v1beta1.LabelExperimentUID: string(e.UID)}))
	return jobs.Items
}
