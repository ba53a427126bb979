//go:build integration

package controllers_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// TestTheOperatorsClockJumpsUnderLoad sets the clock of the operator's machine to another time under
// the first load, and back under the next.
func TestTheOperatorsClockJumpsUnderLoad(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{
		"two minutes ahead": 2 * time.Minute,
		"an hour ahead":     time.Hour,
		"two minutes back":  -2 * time.Minute,
		"an hour back":      -time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "clock")
			e := w.create(newExperiment("login", quick), 0)
			first := w.nextLoad("")
			w.setClock(jump)
			w.nextLoad(first)
			w.setClock(0)
			w.toEnd(e)
			if e.Status.Phase != v1beta1.ExperimentSucceeded {
				t.Errorf("the experiment ended %s", e.Status.Phase)
			}
			for _, trial := range w.trialsOf(e) {
				w.checkMeasuredOnce(&trial)
			}
			w.checkNothingLeft()
			w.checkPeace()
		})
	}
}

// nextLoad waits until a generator other than the given one runs, and returns its UID.
func (w *testCluster) nextLoad(than types.UID) types.UID {
	w.t.Helper()
	var found types.UID
	w.run("the next load is running", func() bool {
		return w.anyPod(generator, func(pod *corev1.Pod) bool {
			found = pod.UID
			return pod.UID != than && pod.Status.Phase == corev1.PodRunning
		})
	})
	return found
}

// setClock sets how far the clock of the operator's machine is ahead.
func (w *testCluster) setClock(ahead time.Duration) {
	w.ahead = ahead
	w.log("cluster", "the clock of the operator's machine is now ahead by "+ahead.String())
}
