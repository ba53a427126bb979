//go:build integration

package controllers_test

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// mishap is what goes wrong with one component of an attempt. The zero value
// is a world in which all goes well.
type mishap struct {
	// of is the component, a value of v1alpha1.LabelComponent.
	of string
	// only is the variant that it happens to; empty for all.
	only string
	// always lets it go wrong in every attempt, not only in each trial's first.
	always bool

	// refusal is why no pod of the component is admitted.
	refusal string
	// stuck is the status that its pods never leave.
	stuck func(*corev1.PodStatus)
	// calibration and result change how these containers end.
	calibration, result func(*corev1.ContainerStateTerminated)
	// hangs lets a load never end by itself.
	hangs bool
	// generatorNeeds is how many CPUs a generator would need, of the half that it has.
	generatorNeeds float64
	// webhook changes a pod on its way.
	webhook func(*corev1.Pod)
}

// mishapOf is what goes wrong with an object; nothing for most.
func (k *kubelet) mishapOf(object client.Object) mishap {
	labels, m := object.GetLabels(), k.mishap
	switch {
	case labels[v1alpha1.LabelComponent] != m.of,
		m.only != "" && labels[v1alpha1.LabelVariant] != m.only,
		!m.always && labels[v1alpha1.LabelAttempt] != "1":
		return mishap{}
	}
	return m
}

func (m mishap) alter(pod *corev1.Pod) {
	if m.webhook != nil {
		m.webhook(pod)
	}
}

// refuseReplica says in the Deployment's status why it has no pod.
func (k *kubelet) refuseReplica(d *appsv1.Deployment, why string) bool {
	if len(d.Status.Conditions) > 0 {
		return false
	}
	d.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: why,
		LastTransitionTime: *k.moment(), LastUpdateTime: *k.moment(),
	}}
	k.world.must("refusing a replica", k.world.client.Status().Update(k.world.ctx, d))
	return true
}

// refuseGenerator says in an event why a Job has no pod, as the Job controller does.
func (k *kubelet) refuseGenerator(j *batchv1.Job, why string) bool {
	if !k.once(j, "refused") {
		return false
	}
	k.world.must("refusing a generator", outside.Create(k.world.ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: j.Namespace, GenerateName: "refusal-"},
		InvolvedObject: corev1.ObjectReference{Kind: "Job", Namespace: j.Namespace, Name: j.Name, UID: j.UID},
		Reason:         "FailedCreate", Type: corev1.EventTypeWarning, Message: why, LastTimestamp: *k.moment(),
	}))
	return true
}

// stick leaves a pod where its mishap has put it.
func (k *kubelet) stick(pod *corev1.Pod, status func(*corev1.PodStatus)) bool {
	if !k.once(pod, "stuck") {
		return false
	}
	status(&pod.Status)
	return k.report(pod, "does not start")
}

// once is true the first time that it is asked.
func (k *kubelet) once(object client.Object, what string) bool {
	key := string(object.GetUID()) + " " + what
	_, known := k.began[key]
	k.began[key] = k.world.now()
	return !known
}
