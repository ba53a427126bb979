//go:build integration

package controllers_test

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// mishap is what goes wrong with one component of an attempt. With the zero value nothing goes
// wrong.
type mishap struct {
	// of is the component: a value of v1beta1.LabelComponent.
	of string
	// only is the variant that it happens to; empty for all.
	only string
	// always applies the mishap to every attempt, not only to each trial's first.
	always bool

	// refusal is why no pod of the component is admitted.
	refusal string
	// suspends suspends its Job, as a queue for Jobs does.
	suspends bool
	// stuck is the status that its pods never leave.
	stuck func(*corev1.PodStatus)
	// calibration and result change how these containers end.
	calibration, result func(*corev1.ContainerStateTerminated)
	// hangs keeps a load from ending by itself.
	hangs bool
	// generatorNeeds is the number of CPUs that a generator needs; it has half a CPU.
	generatorNeeds float64
	// webhook changes a pod on its creation.
	webhook func(*corev1.Pod)
}

// mishapOf returns what goes wrong with an object; the zero value for most.
func (k *kubelet) mishapOf(object client.Object) mishap {
	labels, m := object.GetLabels(), k.mishap
	switch {
	case labels[v1beta1.LabelComponent] != m.of,
		m.only != "" && labels[v1beta1.LabelVariant] != m.only,
		!m.always && labels[v1beta1.LabelAttempt] != "1":
		return mishap{}
	}
	return m
}

func (m mishap) alter(pod *corev1.Pod) {
	if m.webhook != nil {
		m.webhook(pod)
	}
}

// refuseReplica writes into the Deployment's status why it has no pod.
func (k *kubelet) refuseReplica(d *appsv1.Deployment, why string) bool {
	if len(d.Status.Conditions) > 0 {
		return false
	}
	d.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: why,
		LastTransitionTime: *k.moment(), LastUpdateTime: *k.moment(),
	}}
	k.cluster.must("refusing a replica", k.cluster.client.Status().Update(k.cluster.ctx, d))
	return true
}

// refuseGenerator writes an event that says why a Job has no pod, as the Job controller does.
func (k *kubelet) refuseGenerator(j *batchv1.Job, why string) bool {
	if !k.once(j, "refused") {
		return false
	}
	k.cluster.must("refusing a generator", uncached.Create(k.cluster.ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: j.Namespace, GenerateName: "refusal-"},
		InvolvedObject: corev1.ObjectReference{Kind: "Job", Namespace: j.Namespace, Name: j.Name, UID: j.UID},
		Reason:         "FailedCreate", Type: corev1.EventTypeWarning, Message: why, LastTimestamp: *k.moment(),
	}))
	return true
}

// stick sets the status that a pod never leaves.
func (k *kubelet) stick(pod *corev1.Pod, status func(*corev1.PodStatus)) bool {
	if !k.once(pod, "stuck") {
		return false
	}
	status(&pod.Status)
	return k.report(pod, "does not start")
}

// once reports whether this is the first call for this object and step.
func (k *kubelet) once(object client.Object, what string) bool {
	key := string(object.GetUID()) + " " + what
	_, known := k.began[key]
	k.began[key] = k.cluster.now()
	return !known
}
