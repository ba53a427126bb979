package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// heard counts the calls of a reporter.
type heard struct{ shown, lost, found, ended int }

func (h *heard) update(*v1alpha1.SizingExperiment) { h.shown++ }
func (h *heard) tick()                             {}
func (h *heard) disconnected(error)                { h.lost++ }
func (h *heard) reconnected()                      { h.found++ }
func (h *heard) done()                             { h.ended++ }

// watched is one watch: its events, or its error.
type watched struct {
	events []watch.Event
	err    error
}

func seen(kind watch.EventType, phase v1alpha1.ExperimentPhase, uid types.UID) watch.Event {
	e := followed()
	e.UID, e.Status.Phase = uid, phase
	return watch.Event{Type: kind, Object: e}
}

func followed() *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "login", UID: "ours"}}
}

func TestAnExperimentIsFollowedThroughWhateverPasses(t *testing.T) {
	experiments := schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "sizingexperiments"}
	tooOld := watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonExpired}}
	bookmark := watch.Event{Type: watch.Bookmark, Object: runtime.Object(&metav1.Status{})}
	end := watched{events: []watch.Event{seen(watch.Modified, v1alpha1.ExperimentSucceeded, "ours")}}
	for name, tt := range map[string]struct {
		watches []watched
		want    heard
		failure string
	}{
		"nothing":                     {[]watched{end}, heard{shown: 2, ended: 1}, ""},
		"a watch that ends":           {[]watched{{}, end}, heard{shown: 3, ended: 1}, ""},
		"a version that is too old":   {[]watched{{events: []watch.Event{tooOld}}, end}, heard{shown: 3, ended: 1}, ""},
		"an event without experiment": {[]watched{{events: []watch.Event{bookmark}}, end}, heard{shown: 3, ended: 1}, ""},
		"a server that is not ready":  {[]watched{{err: apierrors.NewServiceUnavailable("starting")}, end}, heard{shown: 3, lost: 1, found: 1, ended: 1}, ""},
		"a right that was revoked":    {[]watched{{err: apierrors.NewForbidden(experiments, "login", errors.New("no"))}}, heard{shown: 1, ended: 1}, "you can't watch"},
		"its own deletion":            {[]watched{{events: []watch.Event{seen(watch.Deleted, "", "ours")}}}, heard{shown: 1, ended: 1}, "was deleted before it finished"},
		"another of the same name":    {[]watched{{events: []watch.Event{seen(watch.Modified, "", "theirs")}}}, heard{shown: 1, ended: 1}, "was deleted before it finished"},
		"an unknown error":            {[]watched{{err: errors.New("what?")}}, heard{shown: 1, ended: 1}, "can't watch the experiment: what?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := tt.watches
			cluster := world{objects: []client.Object{followed()}, functions: interceptor.Funcs{
				Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
					now := left[0]
					left = left[1:]
					if now.err != nil {
						return nil, now.err
					}
					events := watch.NewFakeWithChanSize(len(now.events), false)
					for _, event := range now.events {
						events.Action(event.Type, event.Object)
					}
					events.Stop()
					return events, nil
				},
			}}.client(t)
			calls := &heard{}
			f := &follower{cluster: cluster, clock: clock.RealClock{}, reporter: calls, uid: "ours", key: client.ObjectKeyFromObject(followed())}
			e, err := f.follow(t.Context())
			if (err == nil) != (tt.failure == "") || (err != nil && !strings.Contains(err.Error(), tt.failure)) {
				t.Fatalf("it ended with %v, want %q in it", err, tt.failure)
			}
			if err == nil && e.Status.Phase != v1alpha1.ExperimentSucceeded {
				t.Errorf("it ended at %s", e.Status.Phase)
			}
			if *calls != tt.want || len(left) > 0 {
				t.Errorf("it reported %+v, want %+v, with %d watches left", *calls, tt.want, len(left))
			}
		})
	}
}

func TestAnExperimentThatWasReplacedIsGone(t *testing.T) {
	other := followed()
	other.UID = "theirs"
	for name, objects := range map[string][]client.Object{"by another": {other}, "by none": nil} {
		t.Run(name, func(t *testing.T) {
			f := &follower{
				cluster: world{objects: objects}.client(t), clock: clock.RealClock{}, reporter: &heard{},
				uid: "ours", key: client.ObjectKeyFromObject(followed()),
			}
			if _, err := f.follow(t.Context()); !errors.Is(err, errGone) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}
