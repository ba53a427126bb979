package controllers

import (
	"context"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// patchStatus writes what changed in an object's status, once. The optimistic
// lock refuses a pass that was made on stale data; it is then made again.
// Nothing is written when nothing changed.
//
// A merge patch holds only differences: a field whose zero value must be written
// has to lie in a struct behind a pointer, or in a list.
func patchStatus(ctx context.Context, c client.Client, after, before client.Object) error {
	if equality.Semantic.DeepEqual(after, before) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return client.IgnoreNotFound(c.Status().Patch(ctx, after, patch))
}

// staleAgain is how soon a pass is made again that was made on stale data. The
// cache is behind by milliseconds.
const staleAgain = 100 * time.Millisecond

// unlessStale takes a refusal by the optimistic lock for what it is: no error,
// but a pass too early. It would otherwise fill the log of an operator that
// watches several namespaces, whose reads don't wait for its writes.
func unlessStale(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: staleAgain}, nil
	}
	return ctrl.Result{}, err
}

// told gathers the events of a pass. They leave only after the status was
// written, so that an event never speaks of what did not come to be.
type told []event

type event struct{ kind, reason, action, note string }

// The kinds of events, as core/v1 names them.
const (
	normal  = "Normal"
	warning = "Warning"
)

func (t *told) add(kind, reason, action, note string) {
	*t = append(*t, event{kind: kind, reason: reason, action: action, note: note})
}

func (t *told) send(recorder events.EventRecorder, about client.Object) {
	for _, e := range *t {
		recorder.Eventf(about, nil, e.kind, e.reason, e.action, "%s", fitting(e.note))
	}
}

// fitting shortens a note to the bytes that the API server takes: it would refuse
// a longer one, and the event would be lost without anybody hearing of it.
func fitting(note string) string {
	const most = 1024
	note = lifecycle.Clip(note)
	return strings.ToValidUTF8(note[:min(len(note), most)], "")
}
