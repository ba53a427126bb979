//go:build integration

package controllers_test

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestAFinishedExperimentIsDeletedWhenItsTimeIsUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		// ttl is set at creation, and edited is set half a minute after the end.
		ttl, edited *int32
		// lives is how long the experiment exists after its end; 0 means for ever.
		lives time.Duration
	}{
		{name: "after a minute", ttl: ptr.To[int32](60), edited: ptr.To[int32](60), lives: time.Minute},
		{name: "never, without a time", lives: 0},
		{name: "after a minute that was set later", edited: ptr.To[int32](60), lives: time.Minute},
		{name: "at once, if the time that was set later has passed", edited: ptr.To[int32](10), lives: 30 * time.Second},
		{name: "later, if the time was raised", ttl: ptr.To[int32](60), edited: ptr.To[int32](120), lives: 2 * time.Minute},
		{name: "never, if the time was removed", ttl: ptr.To[int32](60), lives: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "ttl")
			e := w.create(newExperiment("login", quick, oneVariant, func(s *v1beta1.SizingExperimentSpec) { s.TTLSecondsAfterFinished = tt.ttl }), 0)
			w.toEnd(e)
			end := e.Status.CompletionTime.Time
			w.wait(30 * time.Second)
			w.edit(e, "edits the time to live", func(s *v1beta1.SizingExperimentSpec) { s.TTLSecondsAfterFinished = tt.edited })
			if tt.lives != 30*time.Second {
				w.settle()
				w.reread(e)
				w.checkStamped(e)
			}
			if tt.lives == 0 {
				w.wait(100 * time.Hour)
				w.reread(e)
				return
			}
			w.run("it is deleted", func() bool { return !w.get(e) })
			// The API keeps the end in whole seconds, and the edit is between two of them.
			if lived := w.now().Sub(end).Truncate(time.Second); lived != tt.lives {
				t.Errorf("the experiment existed for %s after its end, want %s", lived, tt.lives)
			}
			w.wait(time.Minute)
			if left := w.everything(); len(left) > 0 {
				t.Errorf("%d objects are left, %s %s among them", len(left), kindOf(left[0]), left[0].GetName())
			}
		})
	}
}

func TestAnExperimentWithoutTimeToLiveIsGoneAtItsEnd(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "ttl")
	e := w.create(newExperiment("login", quick, oneVariant, func(s *v1beta1.SizingExperimentSpec) { s.TTLSecondsAfterFinished = ptr.To[int32](0) }), 0)
	w.run("it is deleted", func() bool { return !w.get(e) })
	w.wait(time.Minute)
	if left := w.everything(); len(left) > 0 {
		t.Errorf("%d objects are left, %s %s among them", len(left), kindOf(left[0]), left[0].GetName())
	}
}
