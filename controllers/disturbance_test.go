//go:build integration

package controllers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// disturbance is what goes wrong once in a run. With the zero value nothing goes wrong.
type disturbance struct {
	// write is the number of the operator's write that strike takes the place of.
	write  int
	strike strike
	// lag is how many events of each watch the operator's cache is behind. With a write, only
	// the cache of the process that follows it is behind.
	lag int
	// watch is the only kind whose watch is behind; empty for all.
	watch string
	// drop is the number of the event that the operator never gets to know.
	drop int
	// refusal is a write of the operator that is refused for good, in the first namespace.
	refusal *refusal
	// kept is the kind of the objects in the first namespace that a finalizer keeps under load, while the
	// experiment is deleted with policy.
	kept   string
	policy metav1.DeletionPropagation
	// byEvents makes only the passes that an event or a time calls for.
	byEvents bool

	// struck is true once the write was disturbed.
	struck bool
	// injected is the error that the operator was given.
	injected error
}

// refusal is how the API server answers one kind of write from some moment on.
type refusal struct {
	writeKind
	answer error
	// since is when it was first given.
	since time.Time
}

// writeKind is what the operator does to a kind of object, in the words of the transcript.
type writeKind struct{ verb, kind string }

// refuses returns the answer to a write that is refused for good, or nil.
func (w *testCluster) refuses(verb string, object client.Object) error {
	r := w.disturbance.refusal
	if r == nil || object.GetNamespace() != w.namespaces[0] || (writeKind{verb, kindOf(object)}) != r.writeKind {
		return nil
	}
	if r.since.IsZero() {
		r.since = w.now()
		w.log("cluster", fmt.Sprintf("refuses from now on: %s %s", verb, kindOf(object)))
	}
	return r.answer
}

// strike takes the place of a write, and makes it by calling do.
type strike func(w *testCluster, process *operator, do func() error) error

// killedBefore ends the process before its write reaches the API server.
func killedBefore(_ *testCluster, process *operator, _ func() error) error {
	process.dead = true
	return errKilled
}

// killedAfter ends the process after its write is done and before the response arrives.
func killedAfter(_ *testCluster, process *operator, do func() error) error {
	if err := do(); err != nil {
		return err
	}
	process.dead = true
	return errKilled
}

// answered refuses the write with an error.
func answered(err error) strike {
	return func(w *testCluster, _ *operator, _ func() error) error {
		w.log("network", "answers a write with: "+err.Error())
		w.disturbance.injected = err
		return err
	}
}

// anObject is what the injected answers are about.
var anObject = schema.GroupResource{Group: "hashmark.dev", Resource: "objects"}

// replyLost makes the write, and loses the response.
func replyLost(w *testCluster, _ *operator, do func() error) error {
	if err := do(); err != nil {
		return err
	}
	w.disturbance.injected = fmt.Errorf("reading the response: %w", io.ErrUnexpectedEOF)
	w.log("network", "loses the reply")
	return w.disturbance.injected
}

// frozen holds the write until another process, which took over, has done what is given. The
// frozen process then continues with its write and makes one more pass with its old cache,
// before it notices that it no longer leads.
func frozen(meanwhile func(*testCluster)) strike {
	return func(w *testCluster, process *operator, do func() error) error {
		w.log("operator", "is frozen; another one takes over")
		process.frozen = w.snapshot()
		w.startOperator()
		meanwhile(w)
		w.log("operator", "is thawed")
		return do()
	}
}

// someSteps lets the cluster make three steps.
func someSteps(w *testCluster) {
	for range 3 {
		w.settle()
		if next := w.nextMoment(); !w.kubelet.play() && next.After(w.now()) {
			w.goTo(next)
		}
	}
}

// untilTheEnd lets every experiment end.
func untilTheEnd(w *testCluster) {
	for _, e := range w.experiments() {
		w.toEnd(&e)
	}
}

// strikes returns whether a write is to be disturbed now.
func (w *testCluster) strikes() bool {
	d := &w.disturbance
	if d.struck || d.strike == nil || d.write != w.writes+1 {
		return false
	}
	d.struck = true
	return true
}

// mayFail reports whether a pass may end with this error: the injected one, a refusal of what
// was computed from an old cache, or any answer to a process that no longer leads.
func (w *testCluster) mayFail(process *operator, err error) bool {
	injected := w.disturbance.injected
	return injected != nil && errors.Is(err, injected) || process.cache != nil && apierrors.IsConflict(err) || process.frozen != nil
}

// thaw lets a frozen process make one more pass, with the cache that it had.
func (w *testCluster) thaw(process *operator) {
	w.t.Helper()
	leader := w.operator
	w.operator, process.cache = process, process.frozen
	w.pass()
	w.operator, process.dead = leader, true
}

// errTimeout is what a client returns whose request took too long.
var errTimeout = fmt.Errorf("patch: %w", context.DeadlineExceeded)
