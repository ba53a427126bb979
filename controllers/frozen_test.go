//go:build integration

package controllers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// freeze holds a process of the operator at one step of its trial reconciler, just before a write
// or a read of a trial without the cache reaches the API server.
type freeze struct {
	atStep int
	// what the process is about to do.
	what string
	// frozen is closed once it is held, and thawed lets it go on.
	frozen, thawed chan struct{}
	// over is closed when the pass has ended.
	over chan struct{}
}

// holdHere waits if this is the step to hold at.
func (w *testCluster) holdHere(what string) {
	w.steps++
	if f := w.freeze; f != nil && f.atStep == w.steps {
		f.what = what
		close(f.frozen)
		<-f.thawed
	}
}

// attempt makes a pass. If it is frozen, attempt starts another process and returns.
func (w *testCluster) attempt(pass func() (reconcile.Result, error)) (result reconcile.Result, err error) {
	f := w.freeze
	if f == nil || f.what != "" {
		return pass()
	}
	over := make(chan struct{})
	go func() {
		result, err = pass()
		close(over)
	}()
	select {
	case <-over:
		return result, err
	case <-f.frozen:
		f.over = over
		w.log("operator", "is frozen, and another takes over")
		w.startOperator()
		w.writes++ // so that settle lets the new process make a pass at once
		return reconcile.Result{}, nil
	}
}

// TestALeaderThatWasFrozenCreatesNothingForAnEndedAttempt holds an operator at each step of its
// trial reconciler, lets another take over and finish the experiment, and lets the first go on.
// Only the write that was already on its way may still create something, and that is deleted.
func TestALeaderThatWasFrozenCreatesNothingForAnEndedAttempt(t *testing.T) {
	t.Parallel()
	changes := []func(*v1alpha1.SizingExperimentSpec){quick, oneVariant}
	undisturbed := newTestCluster(t, "frozen")
	want := undisturbed.outcome(undisturbed.create(newExperiment("login", changes...), 0))
	for step := 1; step <= undisturbed.steps; step++ {
		t.Run(fmt.Sprint("step ", step), func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "frozen")
			f := &freeze{atStep: step, frozen: make(chan struct{}), thawed: make(chan struct{})}
			w.freeze = f
			e := w.create(newExperiment("login", changes...), 0)
			w.toEnd(e)
			if f.over == nil {
				t.Fatalf("the experiment ended after %d steps, before the operator was frozen", w.steps)
			}
			before := w.created()
			w.log("operator", "thaws, which "+f.what)
			close(f.thawed)
			<-f.over
			most := 0
			if strings.HasPrefix(f.what, "creates") {
				most = 1
			}
			if more := w.created() - before; more > most {
				t.Errorf("it was about to do this: %s; and has created %d objects since", f.what, more)
			}
			w.wait(10 * time.Second)
			w.checkNothingLeft()
			got := w.outcome(e)
			got.Creates = want.Creates
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the outcome of the experiment, undisturbed and disturbed (-want +got):\n%s", diff)
			}
			w.checkPeace()
		})
	}
}

// created counts all objects that were created.
func (w *testCluster) created() int {
	sum := 0
	for _, n := range w.creates {
		sum += n
	}
	return sum
}
