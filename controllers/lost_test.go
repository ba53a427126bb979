//go:build integration

package controllers_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// loseLoadNode makes the generator's node stop answering under load.
func (w *testCluster) loseLoadNode() {
	w.t.Helper()
	w.run("its load is running", func() bool { return loaded(w) })
	w.kubelet.lost[loadNode] = true
	w.log("cluster", loadNode+" does not answer")
}

// findLoadNode makes it answer again, and checks that nothing is left behind.
func (w *testCluster) findLoadNode() {
	w.t.Helper()
	w.log("cluster", loadNode+" answers again")
	delete(w.kubelet.lost, loadNode)
	w.wait(10 * time.Second)
	w.checkNothingLeft()
	for _, trial := range w.trials() {
		if left := trial.Status.Leftovers; len(left) > 0 {
			w.t.Errorf("trial %s still names %q", trial.Name, left)
		}
	}
	w.checkPeace()
}

// leftovers returns what an experiment's first trial names as left behind.
func (w *testCluster) leftovers(e *v1beta1.SizingExperiment) string {
	return strings.Join(w.trialsOf(e)[0].Status.Leftovers, ", ")
}

// TestATrialOutlivesTheNodeOfItsGenerator measures again as soon as the first generator must have
// ended by itself.
func TestATrialOutlivesTheNodeOfItsGenerator(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "first", "second")
	first, second := w.create(newExperiment("first", quick, oneVariant), 0), w.create(newExperiment("second", quick, oneVariant), 1)
	w.loseLoadNode()
	w.toEnd(first)
	w.checkAttempts(first, "Broken DeadlineExceeded", "Kept Measured")
	if got := w.leftovers(first); !strings.HasPrefix(got, "Pod hm-") {
		t.Errorf("the trial names as left behind: %q", got)
	}
	w.toEnd(second)
	w.checkAttempts(second, "Kept Measured")
	w.findLoadNode()
}

// endings are what the owner of an experiment under load can do to end the load.
var endings = map[string]func(*testCluster, *v1beta1.SizingExperiment){
	"cancelled": func(w *testCluster, e *v1beta1.SizingExperiment) { w.edit(e, "cancels first", cancel) },
	"deleted":   func(w *testCluster, e *v1beta1.SizingExperiment) { w.must("deleting", w.client.Delete(w.ctx, e)) },
	"suspended": func(w *testCluster, e *v1beta1.SizingExperiment) { w.edit(e, "suspends first", suspend) },
}

// TestTheOwnerOfALoadOnALostNodeCanLetOthersGoOn cancels or deletes the experiment. The next one
// waits for the generator until that must have ended, and does not fail for it.
func TestTheOwnerOfALoadOnALostNodeCanLetOthersGoOn(t *testing.T) {
	t.Parallel()
	for name, end := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "first", "second")
			first, second := w.create(newExperiment("first", quick, oneVariant), 0), w.create(newExperiment("second", quick, oneVariant), 1)
			w.loseLoadNode()
			lost := w.now()
			end(w, first)
			if name == "cancelled" {
				w.toEnd(first)
				if took := w.now().Sub(lost); took > 90*time.Second {
					t.Errorf("it took %s to cancel the experiment", took)
				}
				w.checkAttempts(first, "Interrupted Cancelled")
			}
			w.toEnd(second)
			w.checkAttempts(second, "Kept Measured")
			if took := w.now().Sub(lost); took > 10*time.Minute {
				t.Errorf("the other experiment ended after %s", took)
			}
			if w.get(first) && !first.Status.Phase.Finished() {
				w.edit(first, "cancels first", cancel)
				w.toEnd(first)
			}
			w.findLoadNode()
		})
	}
}

// TestALoadWaitsForAGeneratorOfAnUnknownTrial keeps a generator running that began while the service was
// calibrated: for a few minutes, or for far longer than the start timeout.
func TestALoadWaitsForAGeneratorOfAnUnknownTrial(t *testing.T) {
	t.Parallel()
	for runs, attempts := range map[time.Duration][]string{
		4 * time.Minute:  {"Kept Measured"},
		40 * time.Minute: {"Interrupted WaitingForOthers", "Kept Measured"},
	} {
		t.Run(runs.String(), func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "turns")
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			w.run("the service is calibrated", func() bool { return calibrates(w) })
			job := metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: "gone", UID: e.UID}
			w.make(w.forge("other", job, "of-a-trial-that-is-gone", generatorOn(lostNode, w.now().Add(runs))))
			w.wait(runs - time.Minute)
			trial := w.trialsOf(e)[0]
			if trial.Status.Phase != v1beta1.TrialRunning || trial.Status.Reason != v1beta1.ReasonWaitingForOthers || w.creates["Job"] > 0 {
				t.Errorf("the trial is %s, %s: %s", trial.Status.Phase, trial.Status.Reason, trial.Status.Message)
			}
			w.toEnd(e)
			w.checkAttempts(e, attempts...)
		})
	}
}

// TestAForeignFinalizerDoesNotHoldUpTheNextTrial keeps one of a trial's objects from being deleted.
func TestAForeignFinalizerDoesNotHoldUpTheNextTrial(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]client.ObjectList{
		"of the Deployment": &appsv1.DeploymentList{}, "of the Service": &corev1.ServiceList{}, "of a NetworkPolicy": &networkingv1.NetworkPolicyList{},
		"of the Job": &batchv1.JobList{}, "of the pods": &corev1.PodList{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "first", "second")
			first, second := w.create(newExperiment("first", quick, oneVariant), 0), w.create(newExperiment("second", quick, oneVariant), 1)
			w.run("its load is running", func() bool { return loaded(w) })
			w.list(list, w.namespaces[0])
			held := extract(list)
			w.setFinalizers(held, "example.test/kept")
			w.toEnd(first)
			w.checkAttempts(first, "Kept Measured")
			if got := w.leftovers(first); !strings.Contains(got, "hm-") {
				t.Errorf("the trial names as left behind: %q", got)
			}
			w.toEnd(second)
			w.checkAttempts(second, "Kept Measured")
			w.setFinalizers(held)
			w.wait(10 * time.Second)
			w.checkNothingLeft()
			w.checkPeace()
		})
	}
}

// live reads an object without the cache, which lacks some finalizers, and reports whether it exists.
func (w *testCluster) live(object client.Object) bool {
	w.t.Helper()
	err := uncached.Get(w.ctx, client.ObjectKeyFromObject(object), object)
	w.must("reading "+object.GetName(), client.IgnoreNotFound(err))
	return err == nil
}

// setFinalizers sets the finalizers of objects.
func (w *testCluster) setFinalizers(of []client.Object, finalizers ...string) {
	w.t.Helper()
	for _, object := range of {
		if !w.live(object) {
			w.t.Fatalf("%s is gone", object.GetName())
		}
		before := object.DeepCopyObject().(client.Object)
		object.SetFinalizers(finalizers)
		w.must("setting finalizers", w.client.Patch(w.ctx, object, client.MergeFrom(before)))
	}
}

// generatorOn returns the spec of a generator's pod on a node.
func generatorOn(node string, deadline time.Time) corev1.PodSpec {
	return corev1.PodSpec{
		NodeName: node, RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{
			Name: objects.GeneratorContainer, Image: "example.test/fake:v1",
			Env: []corev1.EnvVar{{Name: "HASHMARK_DEADLINE", Value: deadline.Format(time.RFC3339)}},
		}},
	}
}

// forge returns a pod that claims to be a generator of the first attempt of a trial.
func (w *testCluster) forge(name string, owner metav1.OwnerReference, trial string, spec corev1.PodSpec) *corev1.Pod {
	owner.Controller = new(true)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespaces[0], Name: name, OwnerReferences: []metav1.OwnerReference{owner},
			Labels: map[string]string{
				v1beta1.LabelComponent: v1beta1.ComponentGenerator, v1beta1.LabelAttempt: "1", v1beta1.LabelTrialUID: trial,
			},
		},
		Spec: spec,
	}
}
