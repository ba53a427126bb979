package lab

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Moment is something that happens once in a trial's first attempt.
type Moment string

// The moments of a trial, in the order in which they come.
const (
	// Begun is when the trial's first attempt stood in its status.
	Begun Moment = "begun"
	// Calibrating is when the calibration's container ran.
	Calibrating Moment = "calibrating"
	// Calibrated is when it had ended.
	Calibrated Moment = "calibrated"
	// Loading is when the trial told that its load began: the Job was made.
	Loading Moment = "loading"
	// Driving is when the generator's container ran.
	Driving Moment = "driving"
	// Driven is when it had ended.
	Driven Moment = "driven"
	// Kept is when the attempt's end stood in the trial's status.
	Kept Moment = "kept"
	// Released is when everything that the trial made was gone.
	Released Moment = "released"
)

// Timeline holds when each moment of each trial was first seen. Timestamps in
// objects know whole seconds only; what arrives over a watch is there within
// milliseconds.
type Timeline struct {
	mutex sync.Mutex
	seen  map[types.UID]map[Moment]time.Time
}

// NewTimeline watches the trials of a namespace and their pods until the context
// ends.
func NewTimeline(ctx context.Context, c client.WithWatch, namespace string) *Timeline {
	line := &Timeline{seen: map[types.UID]map[Moment]time.Time{}}
	go line.watch(ctx, c, &v1alpha1.SizingTrialList{}, namespace)
	go line.watch(ctx, c, &corev1.PodList{}, namespace)
	return line
}

// Of gives the moments of a trial that were seen.
func (l *Timeline) Of(trial types.UID) map[Moment]time.Time {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	moments := map[Moment]time.Time{}
	for moment, at := range l.seen[trial] {
		moments[moment] = at
	}
	return moments
}

func (l *Timeline) watch(ctx context.Context, c client.WithWatch, list client.ObjectList, namespace string) {
	for ctx.Err() == nil {
		events, err := c.Watch(ctx, list, client.InNamespace(namespace))
		if err != nil {
			return // what was not seen is absent, and the bench says so
		}
		for event := range events.ResultChan() {
			l.look(event.Object, time.Now())
		}
	}
}

func (l *Timeline) look(object runtime.Object, now time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch object := object.(type) {
	case *v1alpha1.SizingTrial:
		l.lookAtTrial(object, now)
	case *corev1.Pod:
		if object.Labels[v1alpha1.LabelAttempt] == "1" {
			l.lookAtPod(object, now)
		}
	}
}

func (l *Timeline) lookAtTrial(trial *v1alpha1.SizingTrial, now time.Time) {
	if len(trial.Status.Attempts) == 0 {
		return
	}
	first := trial.Status.Attempts[0]
	l.mark(trial.UID, Begun, true, now)
	l.mark(trial.UID, Loading, first.LoadStartTime != nil, now)
	l.mark(trial.UID, Kept, first.EndTime != nil, now)
	l.mark(trial.UID, Released, meta.IsStatusConditionTrue(trial.Status.Conditions, v1alpha1.ConditionReleased), now)
}

func (l *Timeline) lookAtPod(pod *corev1.Pod, now time.Time) {
	trial := types.UID(pod.Labels[v1alpha1.LabelTrialUID])
	switch pod.Labels[v1alpha1.LabelComponent] {
	case v1alpha1.ComponentService:
		for _, calibration := range pod.Status.InitContainerStatuses {
			l.mark(trial, Calibrating, calibration.State.Waiting == nil, now)
			l.mark(trial, Calibrated, calibration.State.Terminated != nil, now)
		}
	case v1alpha1.ComponentGenerator:
		for _, generator := range pod.Status.ContainerStatuses {
			l.mark(trial, Driving, generator.State.Waiting == nil, now)
			l.mark(trial, Driven, generator.State.Terminated != nil, now)
		}
	}
}

// mark keeps the first time that something was so.
func (l *Timeline) mark(trial types.UID, moment Moment, so bool, now time.Time) {
	if !so {
		return
	}
	if l.seen[trial] == nil {
		l.seen[trial] = map[Moment]time.Time{}
	}
	if _, known := l.seen[trial][moment]; !known {
		l.seen[trial][moment] = now
	}
}
