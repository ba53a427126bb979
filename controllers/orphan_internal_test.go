package controllers

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// Somebody deleted the Job and not its pod, which still puts load on the cluster.
func TestTheGeneratorOfADeletedJobIsLeft(t *testing.T) {
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c10-1", UID: "trial"}}
	trial.Status.Attempts = []v1beta1.Attempt{{Number: 1, JobUID: "old"}, {Number: 2, JobUID: "new"}}
	orphan := func(job types.UID) client.Object {
		return loadPod(func(pod *corev1.Pod) {
			pod.OwnerReferences = nil
			pod.Labels[batchv1.ControllerUidLabel] = string(job)
		})
	}
	jobs := jobsOf(trial, nil)
	if belongs(orphan("unknown"), trial, jobs) || belongs(orphan(""), trial, jobs) {
		t.Error("a pod of an unknown Job is the trial's")
	}
	seen := &lifecycle.Observation{Trial: trial, Ownership: lifecycle.Planned}
	for job, isLeft := range map[types.UID]bool{"old": true, "new": false} {
		pod := orphan(job)
		if !belongs(pod, trial, jobs) {
			t.Errorf("the pod of the trial's Job %q is not the trial's", job)
		}
		if _, left := split(seen, []client.Object{pod}); len(left) == 1 != isLeft {
			t.Errorf("the pod of Job %q is left: %v, want %v", job, len(left) == 1, isLeft)
		}
	}
	var children lifecycle.Children
	if sortChildren(&children, []client.Object{orphan("old")}); len(children.GeneratorPods) != 1 || len(children.ServicePods) > 0 {
		t.Errorf("it is placed as %+v", children)
	}
}
