//go:build integration

package controllers_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// event is a change of an object as a watch reports it.
type event struct {
	object client.Object
	// before is the object before the change; nil if it was created.
	before  client.Object
	deleted bool
}

// passes reports whether a predicate lets the change pass.
func (e event) passes(filter predicate.Funcs) bool {
	switch {
	case e.deleted:
		return filter.Delete(ctrlevent.DeleteEvent{Object: e.object})
	case e.before == nil:
		return filter.Create(ctrlevent.CreateEvent{Object: e.object})
	default:
		return filter.Update(ctrlevent.UpdateEvent{ObjectOld: e.before, ObjectNew: e.object})
	}
}

// history is what the watches of a test cluster have reported so far, by kind.
type history struct {
	events map[string][]event
	// known are the objects as last reported.
	known map[types.UID]client.Object
	// count is the number of all events.
	count int
}

// observe adds what has changed since the last call, and returns it. Several changes of one
// object in between are one event, as after an interrupted watch.
func (w *testCluster) observe() []event {
	var fresh []event
	now := map[types.UID]client.Object{}
	for _, object := range w.everything() {
		now[object.GetUID()] = object
		before := w.history.known[object.GetUID()]
		if before == nil || before.GetResourceVersion() != object.GetResourceVersion() {
			fresh = append(fresh, event{object: object, before: before})
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(w.history.known)) {
		if now[uid] == nil {
			fresh = append(fresh, event{object: w.history.known[uid], deleted: true})
		}
	}
	w.history.known = now
	for _, e := range fresh {
		w.history.events[kindOf(e.object)] = append(w.history.events[kindOf(e.object)], e)
	}
	return fresh
}

// oldCache is a cache that is behind: what a process knew after some number of events.
type oldCache struct {
	objects map[string]map[client.ObjectKey]client.Object
	// seen counts the events of each kind that the cache contains.
	seen map[string]int
}

func newOldCache() *oldCache {
	return &oldCache{objects: map[string]map[client.ObjectKey]client.Object{}, seen: map[string]int{}}
}

// snapshot returns a cache that contains what exists now and never changes.
func (w *testCluster) snapshot() *oldCache {
	c := newOldCache()
	for _, object := range w.everything() {
		c.apply(event{object: object})
	}
	return c
}

func (c *oldCache) apply(e event) {
	kind, key := kindOf(e.object), client.ObjectKeyFromObject(e.object)
	if c.objects[kind] == nil {
		c.objects[kind] = map[client.ObjectKey]client.Object{}
	}
	switch present := c.objects[kind][key]; {
	case !e.deleted:
		c.objects[kind][key] = e.object
	case present != nil && present.GetUID() == e.object.GetUID():
		delete(c.objects[kind], key)
	}
	c.seen[kind]++
}

// advance brings the cache to within lag events of each watch.
func (w *testCluster) advance(c *oldCache) {
	w.observe()
	for kind, events := range w.history.events {
		lag := w.disturbance.lag
		if only := w.disturbance.watch; only != "" && only != kind {
			lag = 0
		}
		for c.seen[kind] < len(events)-lag {
			c.apply(events[c.seen[kind]])
		}
	}
}

// catchUp lets the current process's cache get the next event of each watch. It reports
// whether there was one.
func (w *testCluster) catchUp() (moved bool) {
	c := w.operator.cache
	if c == nil {
		return false
	}
	w.observe()
	for kind, events := range w.history.events {
		if c.seen[kind] < len(events) {
			c.apply(events[c.seen[kind]])
			moved = true
		}
	}
	return moved
}

// holds reports whether objects of a kind are read from the cache.
func (c *oldCache) holds(kind string) bool {
	return c != nil && slices.Contains(kinds(), kind)
}

func (c *oldCache) get(key client.ObjectKey, object client.Object) error {
	found := c.objects[kindOf(object)][key]
	if found == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kindOf(object)}, key.Name)
	}
	reflect.ValueOf(object).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

func (c *oldCache) list(list client.ObjectList, opts ...client.ListOption) error {
	options := (&client.ListOptions{}).ApplyOptions(opts)
	var items []client.Object
	for key, object := range c.objects[itemKind(list)] {
		if (options.Namespace == "" || options.Namespace == key.Namespace) && selected(object, options) {
			items = append(items, object.DeepCopyObject().(client.Object))
		}
	}
	return fill(list, items)
}

func selected(object client.Object, options *client.ListOptions) bool {
	if s := options.LabelSelector; s != nil && !s.Matches(labels.Set(object.GetLabels())) {
		return false
	}
	of := fields.Set{"metadata.name": object.GetName(), "metadata.uid": string(object.GetUID())}
	if owner := metav1.GetControllerOf(object); owner != nil {
		of["metadata.controller.uid"] = string(owner.UID)
	}
	return options.FieldSelector == nil || options.FieldSelector.Matches(of)
}

// call notes which objects the events since the last call and the passed times call for, as
// SetupWithManager does.
func (w *testCluster) call() {
	for _, e := range w.observe() {
		w.history.count++
		if w.history.count == w.disturbance.drop {
			w.log("network", fmt.Sprintf("drops the event of %s %s", kindOf(e.object), e.object.GetName()))
			continue
		}
		for _, key := range w.requests(e) {
			w.calls[key] = true
		}
	}
	for w.operator.moved.Len() > 0 {
		moved, _ := w.operator.moved.Get()
		w.operator.moved.Done(moved)
		w.calls[passOver(&v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: moved.Namespace, Name: moved.Name}})] = true
	}
	for key, due := range w.operator.due {
		if !due.After(w.now()) {
			w.calls[key] = true
			delete(w.operator.due, key)
		}
	}
}

// requests returns the passes that a change calls for.
func (w *testCluster) requests(change event) (keys []string) {
	object, owner, trial := change.object, types.UID(""), change.object.GetLabels()[v1beta1.LabelTrialUID]
	if controller := metav1.GetControllerOf(object); controller != nil {
		owner = controller.UID
	}
	var turns, trialsOf, denies bool
	switch object.(type) {
	case *v1beta1.SizingExperiment:
		turns, trialsOf = change.passes(controllers.ExperimentTurns), change.passes(controllers.ExperimentTrials)
		denies = change.passes(controllers.CreatedOrDeleted)
	case *v1beta1.SizingTrial:
		turns, denies = change.passes(controllers.TrialTurns), change.passes(controllers.CreatedOrDeleted)
	case *corev1.Pod, *appsv1.Deployment, *batchv1.Job:
		denies = change.passes(controllers.CreatedOrDeleted)
	case *networkingv1.NetworkPolicy:
		denies = object.GetName() == objects.DenyPolicyName
	}
	if turns {
		keys = append(keys, passOver(w.lease()))
	}
	if denies {
		keys = append(keys, passOver(objects.DenyPolicy(object.GetNamespace())))
	}
	for _, e := range w.experiments() {
		if e.UID == object.GetUID() || e.UID == owner {
			keys = append(keys, passOver(&e))
		}
	}
	for _, t := range w.trials() {
		if t.UID == object.GetUID() || t.UID == owner || string(t.UID) == trial || trialsOf && metav1.IsControlledBy(&t, object) {
			keys = append(keys, passOver(&t))
		}
	}
	return keys
}

// passOver names the pass over an object.
func passOver(object client.Object) string {
	return fmt.Sprintf("%T %s", object, client.ObjectKeyFromObject(object))
}

// isCalled reports whether a pass over an object is due, which it then no longer is.
func (w *testCluster) isCalled(object client.Object) bool {
	if !w.disturbance.byEvents {
		return true
	}
	key := passOver(object)
	called := w.calls[key]
	delete(w.calls, key)
	return called
}
