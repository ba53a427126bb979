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
		renewed  bool
	}{
		"nothing has changed":     {finished: 1, running: running, shown: time.Hour},
		"a trial has ended":       {finished: 2, running: running, shown: time.Hour, renewed: true},
		"a little off at an end":  {finished: 2, running: running, shown: 490 * time.Second, renewed: true}, // four verifications, each of 120 s
		"another trial has begun": {finished: 1, running: []string{"c10-500m"}, shown: time.Hour, renewed: true},
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
			got := p.estimatedEnd()
			if got == nil || got.Equal(&shown) == test.renewed {
				t.Errorf("the estimate is %v, and %v was shown", got, shown)
			}
		})
	}
}
