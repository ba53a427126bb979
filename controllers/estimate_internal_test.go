package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// While a trial waits or takes longer than expected, the estimate would move on with the clock, and each
// move is a write. When a trial begins or ends, the status is written anyway.
func TestTheEstimatedEndIsRenewedOnlyForAReason(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	running := []string{"c8-500m"}
	for name, test := range map[string]struct {
		finished int32
		running  []string
		shown    time.Duration // from now
		guessed  bool          // shown is an interval
		timed    bool          // a hash has been timed
		renewed  bool
	}{
		"nothing has changed":     {finished: 1, running: running, shown: time.Hour},
		"a trial has ended":       {finished: 2, running: running, shown: time.Hour, renewed: true},
		"a little off at an end":  {finished: 2, running: running, shown: 490 * time.Second, renewed: true},
		"another trial has begun": {finished: 1, running: []string{"c10-500m"}, shown: time.Hour, renewed: true},
		"an interval, still":      {finished: 1, running: running, shown: time.Hour, guessed: true},
		"a hash has been timed":   {finished: 1, running: running, shown: time.Hour, guessed: true, timed: true, renewed: true},
		"it has passed":           {finished: 1, running: running, shown: -time.Second, renewed: true},
	} {
		t.Run(name, func(t *testing.T) {
			shown := metav1.NewTime(now.Add(test.shown))
			p := &experimentPass{
				experiment: &v1beta1.SizingExperiment{
					Spec: v1beta1.SizingExperimentSpec{Demand: &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5)}},
					Status: v1beta1.SizingExperimentStatus{
						Progress: &v1beta1.Progress{Trials: 4, Finished: test.finished, Running: test.running},
					},
				},
				earlier: &v1beta1.Progress{Trials: 4, Finished: 1, Running: running, EstimatedEndTime: &shown},
				planned: make([]matrix.PlannedTrial, 4),
				now:     now,
			}
			if test.guessed {
				p.earlier.LatestEndTime = &shown
			}
			if test.timed {
				p.trials = []v1beta1.SizingTrial{{Status: v1beta1.SizingTrialStatus{Speed: &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 15_000}}}}
			}
			p.estimate()
			got := p.experiment.Status.Progress.EstimatedEndTime
			if got == nil || got.Equal(&shown) == test.renewed {
				t.Errorf("the estimate is %v, and %v was shown", got, shown)
			}
		})
	}
}
