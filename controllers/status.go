package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// patchStatus writes an object's status, unless the object's state has changed since before was read. If
// nothing changed in the status, nothing is written. A status that is too large is written in a shorter
// form.
func patchStatus(ctx context.Context, c client.Client, live client.Reader, after, before client.Object) error {
	if equality.Semantic.DeepEqual(after, before) {
		return nil
	}
	write := func() error {
		written, err := stateIn(after)
		if err != nil {
			return err
		}
		return setUnchanged(ctx, c, live, before, "/status", written.Status, func(patch client.Patch) error {
			return c.Status().Patch(ctx, after, patch)
		})
	}
	err := write()
	if tooLarge(err) {
		shorten(after)
		err = write()
	}
	return client.IgnoreNotFound(err)
}

// setUnchanged sets the field at path by calling patch. If the object's state has changed since before
// was read, it returns a conflict, and the pass has to be repeated. The API server answers a test that
// failed as it answers an object that it refuses.
//
// The API server compares the states itself, again for each write that comes in between. So edits of
// labels and annotations can only delay a write. The optimistic lock would let them refuse it, again and
// again where an API server is slow.
func setUnchanged(ctx context.Context, c client.Client, live client.Reader, before client.Object, path string, value any,
	patch func(client.Patch) error,
) error {
	read, err := stateIn(before)
	for tries := 0; err == nil && tries < mostTries; tries++ {
		tested := read
		refused := patch(conditional{tested, path, value})
		if !apierrors.IsInvalid(refused) {
			return refused
		}
		if read, err = stillAsRead(ctx, c, live, before); err == nil && reflect.DeepEqual(read, tested) {
			return refused // by something else than a test
		}
	}
	return cmp.Or(err, staleError(before))
}

// mostTries is how often a write is tried while nothing but what stateOf leaves out changes.
const mostTries = 4

// conditional is a JSON Patch, RFC 6902, that sets a field of an object in a certain state.
type conditional struct {
	state
	path  string
	value any
}

func (conditional) Type() types.PatchType { return types.JSONPatchType }

func (p conditional) Data(client.Object) ([]byte, error) {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	return json.Marshal([]operation{
		{"test", "/metadata/uid", p.Metadata.UID},
		{"test", "/metadata/generation", p.Metadata.Generation},
		{"test", "/status", p.Status},
		{"add", p.path, p.value},
	})
}

// state is what the tests of a patch compare. The generation stands for the spec.
type state struct {
	Metadata struct {
		UID        types.UID `json:"uid"`
		Generation *int64    `json:"generation"`
	} `json:"metadata"`
	Status json.RawMessage `json:"status"`
}

func stateIn(object client.Object) (s state, err error) {
	data, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// stillAsRead reads an object without the cache, and returns its state as it is stored, or a conflict if it
// is another one than before. The generation also counts changes that stateOf leaves out, and
// a status that another release has written can have fields that this one does not know.
func stillAsRead(ctx context.Context, c client.Client, live client.Reader, before client.Object) (state, error) {
	kind, err := c.GroupVersionKindFor(before)
	if err != nil {
		return state{}, err
	}
	stored := &unstructured.Unstructured{}
	stored.SetGroupVersionKind(kind)
	if err := live.Get(ctx, client.ObjectKeyFromObject(before), stored); client.IgnoreNotFound(err) != nil {
		return state{}, err
	}
	now := reflect.New(reflect.TypeOf(before).Elem()).Interface().(client.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(stored.Object, now); err != nil {
		return state{}, err
	}
	if !equality.Semantic.DeepEqual(stateOf(now), stateOf(before)) {
		return state{}, staleError(before)
	}
	return stateIn(stored)
}

// staleError is why a pass over an object is repeated.
func staleError(object client.Object) error {
	resource := schema.GroupResource{Group: v1beta1.GroupVersion.Group, Resource: fmt.Sprintf("%T", object)}
	return apierrors.NewConflict(resource, object.GetName(), errors.New("it has changed since this pass began"))
}

// shorten drops from a status what is only for people to read. What a user writes is bounded, but for
// labels and annotations, with which an object may be just below what etcd stores.
func shorten(object client.Object) {
	const because = "The status is shortened, because the object is too large; it has too many labels or annotations"
	switch object := object.(type) {
	case *v1beta1.SizingTrial:
		status := &object.Status
		status.UnderWay, status.Leftovers = nil, nil
		for i := range status.Steps {
			status.Steps[i].Latencies = nil
		}
		status.Message = lifecycle.Clip(because + ". " + status.Message)
	case *v1beta1.SizingExperiment:
		status := &object.Status
		status.Results, status.Predictions = nil, nil
		for i := range status.Conditions {
			status.Conditions[i].Message = because
		}
	}
}

// stateOf returns an object's spec, its status, and whether it is being deleted. The time to live of an
// experiment has no part in it, and nor has the suspension of one that has begun: its next pass acts on
// them. One that is suspended before must not begin. Nor have the parts of its metadata that the cache
// lacks.
func stateOf(object client.Object) client.Object {
	state := object.DeepCopyObject().(client.Object)
	state.SetResourceVersion("")
	state.SetManagedFields(nil)
	state.SetAnnotations(nil)
	state.SetLabels(nil)
	state.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	if e, is := state.(*v1beta1.SizingExperiment); is {
		e.Generation, e.OwnerReferences, e.Finalizers = 0, nil, nil
		e.Spec.TTLSecondsAfterFinished = nil
		if e.Status.StartTime != nil {
			e.Spec.Suspend = nil
		}
	}
	return state
}

// timeToWrite returns a context for the writes after a simulation. On CPUs that others use, a
// simulation can take longer than the whole pass may. If its result could then not be written,
// the next pass would start it again, and so on for ever.
func timeToWrite(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), passLimit)
}

// staleAgain is how soon a pass on stale data is repeated. The cache is behind by
// milliseconds.
const staleAgain = 100 * time.Millisecond

// unlessStale turns a refusal by the optimistic lock into a requeue, because it only means
// that the pass was too early. As an error it would fill the log of an operator that watches
// several namespaces, whose reads don't wait for its writes.
func unlessStale(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: staleAgain}, nil
	}
	return ctrl.Result{}, err
}

// pendingEvents collects the events of a pass. They are sent only after the status was
// written, so that an event never reports what did not happen.
type pendingEvents []pendingEvent

type pendingEvent struct{ kind, reason, action, note string }

// The kinds of events, as core/v1 names them.
const (
	normal  = "Normal"
	warning = "Warning"
)

func (t *pendingEvents) add(kind, reason, action, note string) {
	*t = append(*t, pendingEvent{kind: kind, reason: reason, action: action, note: note})
}

func (t *pendingEvents) send(recorder events.EventRecorder, about client.Object) {
	for _, e := range *t {
		recorder.Eventf(about, nil, e.kind, e.reason, e.action, "%s", truncate(e.note))
	}
}

// truncate shortens a note to the number of bytes that the API server accepts. It would refuse
// a longer one, and the event would be lost without notice.
func truncate(note string) string {
	const most = 1024
	note = lifecycle.Clip(note)
	return strings.ToValidUTF8(note[:min(len(note), most)], "")
}

// unchanged is the message of a pass that changed nothing, which is logged at V(1).
const unchanged = "Nothing changed"

// log writes one line for a pass over a trial that changed something: what was done, in which
// attempt, and why. Once the trial has a result, the line has its verdict.
func (d done) log(log logr.Logger, before, after *v1beta1.SizingTrial) {
	status := &after.Status
	log = log.WithValues("variant", after.Spec.Variant.Name, "action", d.Action)
	if n := len(status.Attempts); n > 0 {
		log = log.WithValues("attempt", status.Attempts[n-1].Number)
	}
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		log.V(1).Info(unchanged, "reason", d.Reason)
		return
	}
	reason, message := cmp.Or(d.reason, d.Reason), cmp.Or(d.note, d.Message, string(d.Action))
	if result := status.Result; result != nil {
		log = log.WithValues("verdict", result.Verdict, "verdictReasons", results.ReasonTypes(result.Reasons))
	}
	log.Info(truncate(message), "reason", reason)
}

// log writes one line for each decision of a pass over an experiment.
func (p *experimentPass) log(log logr.Logger, before *v1beta1.SizingExperiment) {
	status := &p.experiment.Status
	if equality.Semantic.DeepEqual(before.Status, *status) {
		log.V(1).Info(unchanged, "phase", status.Phase)
	}
	for _, e := range p.events {
		values := []any{"action", e.action, "reason", e.reason, "phase", status.Phase}
		if r := status.Recommendation; r != nil && status.Phase.Finished() {
			values = append(values, "recommended", status.Display.Recommended, "verified", status.Display.Verified, "confidence", r.Confidence)
		}
		log.Info(truncate(e.note), values...)
	}
}
