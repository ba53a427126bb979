package lifecycle

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// generatorPod returns a generator that runs on a node and ends itself ten minutes after the
// attempt began.
func generatorPod(changes ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		Spec: corev1.PodSpec{NodeName: "node-b", Containers: []corev1.Container{{
			Name: objects.GeneratorContainer,
			Env:  []corev1.EnvVar{{Name: envvar.Deadline, Value: start.Add(10 * time.Minute).Format(time.RFC3339)}},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func phase(phase corev1.PodPhase) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Status.Phase = phase }
}

func TestAGeneratorMayLoadUntilItMustHaveEnded(t *testing.T) {
	const running = 2 * time.Minute
	for _, tt := range []struct {
		name  string
		pod   *corev1.Pod
		after time.Duration
		want  bool
	}{
		{"it runs", generatorPod(), running, true},
		{"it starts on a node", generatorPod(phase(corev1.PodPending)), running, true},
		{"its node does not answer, and its deadline is not over", generatorPod(phase(corev1.PodUnknown)), 10 * time.Minute, true},
		{"its node does not answer, and its clock may be behind", generatorPod(), 10*time.Minute + 30*time.Second, true},
		{"its node does not answer, and its deadline is over", generatorPod(), 10*time.Minute + 31*time.Second, false},
		{"no node takes it", generatorPod(phase(corev1.PodPending), func(pod *corev1.Pod) { pod.Spec.NodeName = "" }), running, false},
		{"it succeeded", generatorPod(phase(corev1.PodSucceeded)), running, false},
		{"it failed", generatorPod(phase(corev1.PodFailed)), running, false},
		{"it has no deadline, so the operator did not create it", generatorPod(func(pod *corev1.Pod) { pod.Spec.Containers[0].Env = nil }), running, false},
		{"its deadline is not a time", generatorPod(func(pod *corev1.Pod) { pod.Spec.Containers[0].Env[0].Value = "never" }), running, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := MayLoad(tt.pod, start.Add(tt.after)); got != tt.want {
				t.Errorf("it may load: %t, want %t", got, tt.want)
			}
		})
	}
}

func TestALeftoverIsStuckAMinuteAfterTheAttempt(t *testing.T) {
	deleted := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: start}}
	status := &v1beta1.SizingTrialStatus{Attempts: []v1beta1.Attempt{{EndTime: &metav1.Time{Time: start}}, {}}}
	for _, tt := range []struct {
		name   string
		object metav1.Object
		after  time.Duration
		want   Leftover
	}{
		{"a Job that has not been deleted", &batchv1.Job{}, time.Hour, Leftover{Deletable: true}},
		{"a Job that has just been deleted", &batchv1.Job{ObjectMeta: deleted}, time.Minute, Leftover{}},
		{"a Job that a finalizer keeps", &batchv1.Job{ObjectMeta: deleted}, time.Minute + time.Second, Leftover{Stuck: true}},
		{"a login pod that terminates", &corev1.Pod{}, time.Minute, Leftover{}},
		{"a login pod that does not terminate", &corev1.Pod{}, time.Minute + time.Second, Leftover{Stuck: true}},
		{"a generator that terminates", generatorPod(), time.Minute, Leftover{Loads: true}},
		{"a generator that does not terminate", generatorPod(), 2 * time.Minute, Leftover{Loads: true, Stuck: true}},
		{"a generator that must have ended by itself", generatorPod(), time.Hour, Leftover{Stuck: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, NewLeftover("", tt.object, status, "", start.Add(tt.after))); diff != "" {
				t.Errorf("the leftover (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnObjectWhoseDeletionIsRefusedIsStuckAfterAMinute(t *testing.T) {
	status := &v1beta1.SizingTrialStatus{Attempts: []v1beta1.Attempt{{EndTime: &metav1.Time{Time: start}}}}
	for after, want := range map[time.Duration]Leftover{
		time.Minute:               {Name: "Job a (no)", Deletable: true},
		time.Minute + time.Second: {Name: "Job a (no)", Deletable: true, Stuck: true},
	} {
		if diff := cmp.Diff(want, NewLeftover("Job a", &batchv1.Job{}, status, "no", start.Add(after))); diff != "" {
			t.Errorf("the leftover after %s (-want +got):\n%s", after, diff)
		}
	}
}

func TestStuckLeftoversAreNamed(t *testing.T) {
	o := world(ended(v1beta1.OutcomeBroken), terminating, stuck, lost)
	if diff := cmp.Diff([]string{"Pod hm-1-b", "Pod hm-1-c"}, o.StuckLeftovers()); diff != "" {
		t.Errorf("the stuck ones (-want +got):\n%s", diff)
	}
	const want = "Deleting the objects of the last attempt. Their node does not answer, a finalizer keeps them, or the cluster refuses their deletion: Pod hm-1-b, Pod hm-1-c"
	if got := Decide(o).Message; got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
	for i := range 50 {
		left(Leftover{Name: fmt.Sprint(i), Stuck: true})(o)
	}
	if got := len(o.StuckLeftovers()); got != 32 {
		t.Errorf("%d are named; the API takes 32", got)
	}
}

func TestAJobThatWasNotRecordedIsRecordedAtTheEnd(t *testing.T) {
	o := world(func(o *Observation) { o.Trial.Status.Attempts[0].JobUID = "" })
	NoteJob(o)
	if got := o.attempt().JobUID; got != "job" {
		t.Errorf("the Job on record is %q", got)
	}
	NoteJob(world(beforeJob)) // without a Job
}
