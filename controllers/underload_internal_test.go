package controllers

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// loadEnd is when the generators of these tests end by themselves.
var loadEnd = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// loadJob returns a Job of a trial that runs.
func loadJob(change func(*batchv1.Job)) *batchv1.Job {
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Name: "trial", UID: "trial"}}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "theirs", Name: "hm-1", Labels: map[string]string{v1beta1.LabelComponent: v1beta1.ComponentGenerator},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(trial, v1beta1.GroupVersion.WithKind("SizingTrial"))},
		},
		Spec: batchv1.JobSpec{ActiveDeadlineSeconds: ptr.To[int64](600)},
	}
	change(job)
	return job
}

// loadPod returns a pod of such a Job that runs.
func loadPod(change func(*corev1.Pod)) *corev1.Pod {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "hm-1", UID: "job"}}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "theirs", Name: "hm-1-x", Labels: map[string]string{v1beta1.LabelComponent: v1beta1.ComponentGenerator},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: corev1.PodSpec{NodeName: "node-b", Containers: []corev1.Container{{
			Name: objects.GeneratorContainer, Env: []corev1.EnvVar{{Name: envvar.Deadline, Value: loadEnd.Format(time.RFC3339)}},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	change(pod)
	return pod
}

func TestALoadWaitsOnlyForGeneratorsThatMayRun(t *testing.T) {
	going := func(m *metav1.ObjectMeta) {
		m.Finalizers, m.DeletionTimestamp = []string{"example.test/kept"}, &metav1.Time{Time: loadEnd}
	}
	for _, tt := range []struct {
		name      string
		generator client.Object
		after     time.Duration
		want      int
	}{
		{"a Job of a trial", loadJob(func(*batchv1.Job) {}), 0, 1},
		{"a Job that no trial controls", loadJob(func(j *batchv1.Job) { j.OwnerReferences = nil }), 0, 0},
		{"a Job of another kind of trial", loadJob(func(j *batchv1.Job) { j.OwnerReferences[0].APIVersion = "example.test/v1" }), 0, 0},
		{"a suspended Job", loadJob(func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) }), 0, 0},
		{"a Job that never ends", loadJob(func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = nil }), 0, 0},
		{"a Job that ends in a year", loadJob(func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To[int64](31_536_000) }), 0, 0},
		{"a Job that has ended", loadJob(func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
		}), 0, 0},
		{"a Job that a finalizer keeps", loadJob(func(j *batchv1.Job) { going(&j.ObjectMeta) }), 0, 0},
		{"a pod of a Job that is gone", loadPod(func(*corev1.Pod) {}), 0, 1},
		{"a pod that terminates", loadPod(func(p *corev1.Pod) { going(&p.ObjectMeta) }), 0, 1},
		{"a pod that lost its Job", loadPod(func(p *corev1.Pod) { p.OwnerReferences = nil }), 0, 1},
		{"a pod that something else has adopted", loadPod(func(p *corev1.Pod) { p.OwnerReferences[0].Kind = "ReplicaSet" }), 0, 1},
		{"a pod that no node takes", loadPod(func(p *corev1.Pod) { p.Spec.NodeName, p.Status.Phase = "", corev1.PodPending }), 0, 0},
		{"a pod on a node that does not answer, after its deadline", loadPod(func(p *corev1.Pod) { going(&p.ObjectMeta) }), time.Minute, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &TrialReconciler{
				Live:  having(tt.generator),
				Clock: clocktesting.NewFakePassiveClock(loadEnd.Add(tt.after)),
			}
			got, err := r.underLoad(t.Context(), &lifecycle.Observation{Trial: &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ours", UID: "own"}}})
			if err != nil || len(got) != tt.want {
				t.Errorf("%d others are under load, %v; want %d", len(got), err, tt.want)
			}
		})
	}
}
