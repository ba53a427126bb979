//go:build integration

package controllers_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// dawn is when every story begins.
var dawn = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// endOfDays is when a story is given up that does not come to what was waited for.
const endOfDays = 26 * time.Hour

// world is a cluster as one operator sees it: some namespaces, a clock of its
// own, and a player of everything that Kubernetes does there. Nothing in it
// waits: where nobody has anything to do, the clock goes to the next moment
// when somebody has.
type world struct {
	t          *testing.T
	ctx        context.Context
	client     client.Client
	clock      *clocktesting.FakePassiveClock
	namespaces []string
	kubelet    *kubelet
	operator   *operator
	story      story
	// crash is when the operator is to die; the zero value is never.
	crash crash
	// asleep lets the operator make no passes.
	asleep bool
	// cacheBehind hides verifications from the cache that trials are held against.
	cacheBehind bool
	// limit is the operator's --max-concurrent-trials.
	limit int
	// user is who the operator is to the API server.
	user string
	// creates counts what the operator has created, by kind.
	creates map[string]int
	// tally is what was counted, by whichever process of the operator.
	tally *tally
	// writes counts every write of the operator that was not refused.
	writes int
}

// newWorld makes a world with a namespace for each name.
func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	w := &world{
		t: t, ctx: t.Context(), client: backstage.GetClient(), clock: clocktesting.NewFakePassiveClock(dawn),
		limit: 1, user: operatorUser, creates: map[string]int{}, tally: newTally(),
	}
	for _, name := range names {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}
		if err := outside.Create(w.ctx, namespace); err != nil {
			t.Fatalf("making namespace %s: %v", name, err)
		}
		w.namespaces = append(w.namespaces, namespace.Name)
		w.story.alias(namespace.Name, name)
	}
	w.kubelet = newKubelet(w)
	w.startOperator()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what happened until then:\n%s", w.story.text())
		}
		w.clear()
	})
	return w
}

// clear deletes what is left, so that the cache of later tests stays small.
func (w *world) clear() {
	ctx := context.Background()
	for _, object := range w.everything() {
		if err := w.client.Delete(ctx, object, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			w.t.Errorf("clearing up: %v", err)
		}
	}
}

func (w *world) now() time.Time { return w.clock.Now() }

// settle lets the operator make passes until it has nothing left to write.
func (w *world) settle() {
	w.t.Helper()
	const most = 40
	for range most {
		before := w.writes
		w.pass()
		if w.writes == before {
			return
		}
	}
	w.t.Fatalf("the operator still writes after %d passes at one moment", most)
}

// pass looks once at every experiment and every trial. A real operator looks
// at fewer: only at what has changed.
func (w *world) pass() {
	w.t.Helper()
	if w.asleep {
		return
	}
	clear(w.operator.due) // what is gone by now is not due again
	for _, e := range w.experiments() {
		w.reconcile(w.operator.experiments, &e)
	}
	for _, trial := range w.trials() {
		w.reconcile(w.operator.trials, &trial)
	}
}

// run lets time go by until something holds.
func (w *world) run(what string, until func() bool) {
	w.t.Helper()
	for w.now().Sub(dawn) < endOfDays {
		w.settle()
		if until() {
			return
		}
		if w.kubelet.play() {
			continue
		}
		next := w.nextMoment()
		if next.IsZero() {
			w.t.Fatalf("waiting until %s: nobody would ever do anything again", what)
		}
		w.goTo(next)
	}
	w.t.Fatalf("waiting until %s: it never came to be", what)
}

// nextMoment is when somebody has something to do, zero if nobody has.
func (w *world) nextMoment() time.Time {
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

// wait lets so much time go by, whatever happens in it.
func (w *world) wait(d time.Duration) {
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

// goTo sets the clock. What was due before now was forgotten by somebody.
func (w *world) goTo(next time.Time) {
	w.t.Helper()
	if !next.After(w.now()) {
		w.t.Fatalf("it is %s, and what was due at %s has not been done", at(w.now()), at(next))
	}
	w.clock.SetTime(next)
}

// experiments of the world, in the order of namespaces and then of names.
func (w *world) experiments() []v1alpha1.SizingExperiment {
	var all []v1alpha1.SizingExperiment
	for _, namespace := range w.namespaces {
		list := &v1alpha1.SizingExperimentList{}
		w.list(list, namespace)
		slices.SortFunc(list.Items, func(a, b v1alpha1.SizingExperiment) int { return strings.Compare(a.Name, b.Name) })
		all = append(all, list.Items...)
	}
	return all
}

// trials of the world, in the order in which each experiment plans them.
func (w *world) trials() []v1alpha1.SizingTrial {
	var all []v1alpha1.SizingTrial
	for _, namespace := range w.namespaces {
		list := &v1alpha1.SizingTrialList{}
		w.list(list, namespace)
		slices.SortFunc(list.Items, func(a, b v1alpha1.SizingTrial) int {
			byOwner := strings.Compare(a.Labels[v1alpha1.LabelExperiment], b.Labels[v1alpha1.LabelExperiment])
			return cmp.Or(byOwner, int(a.Spec.Sequence-b.Spec.Sequence), strings.Compare(a.Name, b.Name))
		})
		all = append(all, list.Items...)
	}
	return all
}

func (w *world) list(list client.ObjectList, namespace string) {
	w.t.Helper()
	if err := w.client.List(context.Background(), list, client.InNamespace(namespace)); err != nil {
		w.t.Fatalf("listing %T: %v", list, err)
	}
}

// get reads an object by the name that the given one has, and tells whether it exists.
func (w *world) get(object client.Object) bool {
	w.t.Helper()
	err := w.client.Get(w.ctx, client.ObjectKeyFromObject(object), object)
	if err != nil && !apierrors.IsNotFound(err) {
		w.t.Fatalf("reading %s: %v", object.GetName(), err)
	}
	return err == nil
}

// must ends the test when the world itself, rather than the operator, fails.
func (w *world) must(what string, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}
