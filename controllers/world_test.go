//go:build integration

package controllers_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// epoch is when every test begins.
var epoch = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// timeLimit is how long run waits for a condition, by the test cluster's clock.
const timeLimit = 26 * time.Hour

// testCluster is a cluster as one operator sees it: some namespaces, a clock of its own, and a
// simulation of everything that Kubernetes does there. Nothing in it waits: if nothing is due,
// the clock moves to the next time when something is.
type testCluster struct {
	t      *testing.T
	ctx    context.Context
	client client.Client
	clock  *clocktesting.FakePassiveClock
	// ahead is how far the clock of the operator's machine is ahead of the others.
	ahead      time.Duration
	namespaces []string
	kubelet    *kubelet
	operator   *operator
	transcript transcript
	// disturbance is what goes wrong with the operator.
	disturbance disturbance
	// history is what the operator's watches reported, as far as a disturbance needs it.
	history history
	// calls are the passes that are due, if only events call for passes.
	calls map[string]bool
	// again is true if a pass failed and is made again.
	again bool
	// asleep keeps the operator from making passes.
	asleep bool
	// cacheBehind hides verifications from the cache of the trial reconciler.
	cacheBehind bool
	// limit is the operator's trials.maxConcurrent.
	limit int
	// paused is the operator's paused.
	paused bool
	// user is the operator's user at the API server.
	user string
	// creates counts what the operator has created for experiments, by kind. A namespace's deny policy
	// is not for one of them.
	creates map[string]int
	// tally is what all processes of the operator counted.
	tally *tally
	// kindsOfWrites are the kinds of what the operator has written in the first namespace.
	kindsOfWrites map[writeKind]bool
	// writes counts every write of the operator that was not refused.
	writes int
	// refused are the operator's writes that the API server refused.
	refused []string
	// confined is what was seen of the policies of pods.
	confined confinement
}

// newTestCluster returns a test cluster with a namespace for each name.
func newTestCluster(t *testing.T, names ...string) *testCluster {
	t.Helper()
	w := &testCluster{
		t: t, ctx: t.Context(), client: cachedCluster.GetClient(), clock: clocktesting.NewFakePassiveClock(epoch),
		limit: 1, user: operatorUser, creates: map[string]int{}, kindsOfWrites: map[writeKind]bool{}, tally: newTally(),
		calls: map[string]bool{}, history: history{events: map[string][]event{}},
	}
	for _, name := range names {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}
		if err := uncached.Create(w.ctx, namespace); err != nil {
			t.Fatalf("creating namespace %s: %v", name, err)
		}
		w.namespaces = append(w.namespaces, namespace.Name)
		w.transcript.alias(namespace.Name, name)
	}
	w.kubelet = newKubelet(w)
	w.startOperator()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what happened until then:\n%s", w.transcript.text())
		}
		w.clear()
	})
	return w
}

// clear deletes all objects, so that the cache of later tests stays small. By default a deleted
// Job would stay until a garbage collector, which does not run here, has released its pods.
func (w *testCluster) clear() {
	ctx := context.Background()
	for _, object := range w.everything() {
		err := w.client.Delete(ctx, object, client.GracePeriodSeconds(0), client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			w.t.Errorf("clearing up: %v", err)
		}
	}
}

func (w *testCluster) now() time.Time { return w.clock.Now() }

// settle makes passes until the operator has nothing left to write.
func (w *testCluster) settle() {
	w.t.Helper()
	most := 40
	if w.disturbance.lag > 0 {
		most = 200 // an old cache gets each event on its own
	}
	for range most {
		before := w.writes
		w.again = false
		w.pass()
		if w.writes == before && !w.again && !w.catchUp() {
			return
		}
	}
	w.t.Fatalf("the operator still writes after %d passes at one moment", most)
}

// pass reconciles every experiment and every trial once. A real operator reconciles only what
// has changed; so does this one if a disturbance says so.
func (w *testCluster) pass() {
	w.t.Helper()
	if w.asleep {
		return
	}
	if w.disturbance.byEvents {
		w.call()
	} else {
		clear(w.operator.due) // deleted objects are not due again
	}
	for _, e := range w.experiments() {
		if w.isCalled(&e) {
			w.reconcile(w.operator.experiments, &e)
		}
	}
	if lease := w.lease(); w.isCalled(lease) {
		w.reconcile(w.operator.turns, lease)
	}
	for _, trial := range w.trials() {
		if w.isCalled(&trial) {
			w.reconcile(w.operator.trials, &trial)
		}
	}
	for _, namespace := range w.namespaces {
		if policy := objects.DenyPolicy(namespace); w.isCalled(policy) {
			w.reconcile(w.operator.denies, policy)
		}
	}
}

// lease returns the object that stands for a pass over the turns.
func (w *testCluster) lease() *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: w.turns().Namespace, Name: w.turns().Name}}
}

// begin makes passes until an experiment's first trial has begun an attempt, and returns that
// trial. Nothing of the attempt has been created.
func (w *testCluster) begin(e *v1beta1.SizingExperiment) v1beta1.SizingTrial {
	w.t.Helper()
	for range 5 {
		w.pass()
		if trials := w.trialsOf(e); len(trials) > 0 && len(trials[0].Status.Attempts) > 0 {
			return trials[0]
		}
	}
	w.t.Fatal("the first trial has not begun after 5 passes")
	return v1beta1.SizingTrial{}
}

// run advances the clock until a condition is true.
func (w *testCluster) run(what string, until func() bool) {
	w.t.Helper()
	for w.now().Sub(epoch) < timeLimit {
		w.settle()
		if until() {
			return
		}
		if w.kubelet.play() {
			continue
		}
		next := w.nextMoment()
		if next.IsZero() {
			w.t.Fatalf("waiting until %s: nothing more is due", what)
		}
		w.goTo(next)
	}
	w.t.Fatalf("waiting until %s: it did not happen", what)
}

// nextMoment returns when the next step is due, or zero if none is.
func (w *testCluster) nextMoment() time.Time {
	next := w.kubelet.next
	if w.asleep {
		return next
	}
	for _, due := range w.operator.due {
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next
}

// wait advances the clock by d.
func (w *testCluster) wait(d time.Duration) {
	w.t.Helper()
	until := w.now().Add(d)
	for {
		w.settle()
		if w.kubelet.play() {
			continue
		}
		next := w.nextMoment()
		switch {
		case !next.IsZero() && !next.After(until):
			w.goTo(next)
		case w.now().Equal(until):
			return
		default:
			w.goTo(until)
		}
	}
}

// goTo sets the clock. It fails if something that was due has not been done.
func (w *testCluster) goTo(next time.Time) {
	w.t.Helper()
	if !next.After(w.now()) {
		w.t.Fatalf("it is %s, and what was due at %s has not been done", at(w.now()), at(next))
	}
	w.clock.SetTime(next)
}

// experiments returns the cluster's experiments, ordered by namespace and then by name.
func (w *testCluster) experiments() []v1beta1.SizingExperiment {
	var all []v1beta1.SizingExperiment
	for _, namespace := range w.namespaces {
		list := &v1beta1.SizingExperimentList{}
		w.list(list, namespace)
		slices.SortFunc(list.Items, func(a, b v1beta1.SizingExperiment) int { return strings.Compare(a.Name, b.Name) })
		all = append(all, list.Items...)
	}
	return all
}

// trials returns the cluster's trials, in the order in which each experiment plans them.
func (w *testCluster) trials() []v1beta1.SizingTrial {
	var all []v1beta1.SizingTrial
	for _, namespace := range w.namespaces {
		list := &v1beta1.SizingTrialList{}
		w.list(list, namespace)
		slices.SortFunc(list.Items, func(a, b v1beta1.SizingTrial) int {
			byOwner := strings.Compare(a.Labels[v1beta1.LabelExperiment], b.Labels[v1beta1.LabelExperiment])
			return cmp.Or(byOwner, int(a.Spec.Sequence-b.Spec.Sequence), strings.Compare(a.Name, b.Name))
		})
		all = append(all, list.Items...)
	}
	return all
}

func (w *testCluster) list(list client.ObjectList, namespace string) {
	w.t.Helper()
	if err := w.client.List(context.Background(), list, client.InNamespace(namespace)); err != nil {
		w.t.Fatalf("listing %T: %v", list, err)
	}
}

// get reads an object by the given object's name, and reports whether it exists.
func (w *testCluster) get(object client.Object) bool {
	w.t.Helper()
	err := w.client.Get(w.ctx, client.ObjectKeyFromObject(object), object)
	if err != nil && !apierrors.IsNotFound(err) {
		w.t.Fatalf("reading %s: %v", object.GetName(), err)
	}
	return err == nil
}

// must ends the test if the test cluster itself fails, and not the operator.
func (w *testCluster) must(what string, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}
