package lab

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// at is the moment that is so many seconds after the beginning.
func at(seconds int64) time.Time { return time.Unix(seconds, 0) }

func trialWith(change func(*v1alpha1.SizingTrialStatus)) *v1alpha1.SizingTrial {
	trial := &v1alpha1.SizingTrial{ObjectMeta: metav1.ObjectMeta{UID: "trial"}}
	change(&trial.Status)
	return trial
}

func podOf(component, attempt string, initial, main corev1.ContainerState) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
			v1alpha1.LabelTrialUID: "trial", v1alpha1.LabelAttempt: attempt, v1alpha1.LabelComponent: component,
		}},
		Status: corev1.PodStatus{
			InitContainerStatuses: []corev1.ContainerStatus{{State: initial}},
			ContainerStatuses:     []corev1.ContainerStatus{{State: main}},
		},
	}
}

func TestEveryMomentIsSeenOnceAndKept(t *testing.T) {
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	begun := []v1alpha1.Attempt{{Number: 1}}
	loading := []v1alpha1.Attempt{{Number: 1, LoadStartTime: &metav1.Time{}}}
	kept := []v1alpha1.Attempt{{Number: 1, LoadStartTime: &metav1.Time{}, EndTime: &metav1.Time{}}}
	line := &Timeline{seen: map[types.UID]map[Moment]time.Time{}}
	for second, object := range []runtime.Object{
		trialWith(func(*v1alpha1.SizingTrialStatus) {}),
		trialWith(func(s *v1alpha1.SizingTrialStatus) { s.Attempts = begun }),
		podOf(v1alpha1.ComponentService, "1", waiting, waiting),
		podOf(v1alpha1.ComponentService, "1", running, waiting),
		podOf(v1alpha1.ComponentService, "1", ended, running),
		trialWith(func(s *v1alpha1.SizingTrialStatus) { s.Attempts = loading }),
		podOf(v1alpha1.ComponentGenerator, "1", waiting, running),
		podOf(v1alpha1.ComponentGenerator, "1", waiting, ended),
		trialWith(func(s *v1alpha1.SizingTrialStatus) { s.Attempts = kept }),
		podOf(v1alpha1.ComponentGenerator, "2", running, running),
		trialWith(func(s *v1alpha1.SizingTrialStatus) {
			s.Attempts = kept
			s.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReleased, Status: metav1.ConditionTrue}}
		}),
	} {
		line.look(object, at(int64(second)))
	}
	want := map[Moment]time.Time{
		Begun: at(1), Calibrating: at(3), Calibrated: at(4), Loading: at(5), Driving: at(6), Driven: at(7), Kept: at(8), Released: at(10),
	}
	if diff := cmp.Diff(want, line.Of("trial")); diff != "" {
		t.Errorf("the moments (-want +got):\n%s", diff)
	}
}
