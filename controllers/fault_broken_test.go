//go:build integration

package controllers_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

func TestAServiceThatFailsOrIsReplacedBreaksTheAttempt(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{
		{name: "its calibration fails", mishap: mishap{of: service, calibration: exits(2, "no bcrypt")}, reason: v1beta1.ReasonCalibrationFailed},
		{name: "its calibration is empty", mishap: mishap{of: service, calibration: exits(0, "")}, reason: v1beta1.ReasonCalibrationFailed},
		{name: "its calibration is not JSON", mishap: mishap{of: service, calibration: exits(0, "hello")}, reason: v1beta1.ReasonCalibrationFailed},
		{name: "its calibration has no hash time", mishap: mishap{of: service, calibration: exits(0, "{}")}, reason: v1beta1.ReasonCalibrationFailed},
		{name: "it runs out of memory while it is calibrated", mishap: mishap{of: service, calibration: killed}, reason: v1beta1.ReasonServiceOOMKilled},
		{name: "it runs out of memory under load", at: loaded, do: podStatus(service, outOfMemory), reason: v1beta1.ReasonServiceOOMKilled},
		{name: "it restarts under load", at: loaded, do: podStatus(service, restarted), reason: v1beta1.ReasonServiceRestarted},
		{name: "it is evicted under load", at: loaded, do: podStatus(service, evicted), reason: v1beta1.ReasonServiceEvicted},
		{name: "its node is drained under load", at: loaded, do: podStatus(service, disrupted), reason: v1beta1.ReasonServiceEvicted},
		{name: "it ends under load", at: loaded, do: podStatus(service, ended), reason: v1beta1.ReasonServiceFailed},
		{name: "its pod is deleted under load", at: loaded, do: deletes(&corev1.PodList{}, service), reason: v1beta1.ReasonServiceReplaced},
		{name: "its pod is replaced while the operator is asleep", at: loaded, do: deletes(&corev1.PodList{}, service), asleep: true, reason: v1beta1.ReasonServiceReplaced},
		{name: "its Deployment is deleted under load", at: loaded, do: deletes(&appsv1.DeploymentList{}, service), reason: v1beta1.ReasonServiceDeleted},
		{name: "its Deployment is deleted before the load", at: calibrates, do: deletes(&appsv1.DeploymentList{}, service), reason: v1beta1.ReasonServiceDeleted},
		{name: "its Deployment is created again under load", at: loaded, do: createsAnew, reason: v1beta1.ReasonServiceReplaced},
		{name: "its Service is deleted under load", at: loaded, do: deletes(&corev1.ServiceList{}, service), reason: v1beta1.ReasonServiceDeleted},
	} {
		f.outcome = v1beta1.OutcomeBroken
		t.Run(f.name, f.check)
	}
}

func TestALoadWithoutAResultBreaksTheAttempt(t *testing.T) {
	t.Parallel()
	failure := func(reason string) func(*corev1.ContainerStateTerminated) {
		return exits(1, measurement.EncodeFailure(reason, strings.Repeat("a line of k6's output\n", 200), 107))
	}
	for _, f := range []fault{
		{name: "its result is empty", mishap: mishap{of: generator, result: exits(0, "")}, reason: v1beta1.ReasonSummaryLost},
		{name: "its result is not a result", mishap: mishap{of: generator, result: exits(0, "hello")}, reason: v1beta1.ReasonSummaryGarbled},
		{name: "its result has lost its beginning", mishap: mishap{of: generator, result: cut(20, 0)}, reason: v1beta1.ReasonSummaryGarbled},
		{name: "its result has lost its end", mishap: mishap{of: generator, result: cut(0, 20)}, reason: v1beta1.ReasonSummaryGarbled},
		{name: "its script throws", mishap: mishap{of: generator, result: failure(handover.ScriptError)}, reason: handover.ScriptError},
		{name: "it can't reach the service", mishap: mishap{of: generator, result: failure(handover.ServiceUnreachable)}, reason: handover.ServiceUnreachable},
		{name: "it is killed and can still report that", mishap: mishap{of: generator, result: failure(handover.GeneratorKilled)}, reason: v1beta1.ReasonGeneratorKilled},
		{name: "its reason is not valid in a status", mishap: mishap{of: generator, result: failure("%-~")}, reason: v1beta1.ReasonSummaryGarbled},
		{name: "it runs out of memory", mishap: mishap{of: generator, result: killed}, reason: v1beta1.ReasonGeneratorOOMKilled},
		{name: "it never ends", mishap: mishap{of: generator, hangs: true}, patience: 10 * time.Minute, reason: v1beta1.ReasonDeadlineExceeded},
		{name: "its pod is evicted", at: loaded, do: podStatus(generator, evicted), reason: v1beta1.ReasonGeneratorEvicted},
		{name: "its pod is deleted", at: loaded, do: deletes(&corev1.PodList{}, generator), reason: v1beta1.ReasonSummaryLost},
		{name: "its pod is deleted between its end and the harvest", at: over, do: deletes(&corev1.PodList{}, generator), asleep: true, reason: v1beta1.ReasonSummaryLost},
		{name: "its Job is deleted", at: loaded, do: deletes(&batchv1.JobList{}, generator), reason: v1beta1.ReasonJobDeleted},
	} {
		f.outcome = v1beta1.OutcomeBroken
		t.Run(f.name, f.check)
	}
}

func TestALoadOfASlowGeneratorIsRepeated(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{
		{name: "it needs more than four fifths of its CPU", mishap: mishap{of: generator, generatorNeeds: 0.45}, reason: v1beta1.ReasonGeneratorSaturated},
		{name: "it is throttled", mishap: mishap{of: generator, generatorNeeds: 0.9}, reason: v1beta1.ReasonGeneratorSaturated},
	} {
		f.outcome = v1beta1.OutcomeInvalid
		t.Run(f.name, f.check)
	}
}

func TestHarmlessFaultsCostNoAttempt(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{
		{name: "a login pod is deleted while it is calibrated", at: calibrates, do: deletes(&corev1.PodList{}, service)},
		{name: "the Service is deleted before the load", at: calibrates, do: deletes(&corev1.ServiceList{}, service)},
		{name: "the operator sleeps through the whole load", at: loaded, do: func(*testCluster) {}, asleep: true},
	} {
		f.reason, f.outcome = v1beta1.ReasonMeasured, v1beta1.OutcomeKept
		t.Run(f.name, f.check)
	}
}

// The moments at which things go wrong.

func calibrates(w *testCluster) bool {
	return w.anyPod(service, func(pod *corev1.Pod) bool {
		return simulated.Holds(&pod.Status, corev1.PodScheduled) && !simulated.Holds(&pod.Status, corev1.PodInitialized)
	})
}

func loaded(w *testCluster) bool {
	return w.anyPod(generator, func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning })
}

// over reports whether a load has ended that the operator has not seen yet. The operator makes
// its passes before the simulated cluster acts, so it has to be asleep.
func over(w *testCluster) bool {
	w.asleep = w.asleep || loaded(w)
	return w.anyPod(generator, func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodSucceeded })
}

func (w *testCluster) anyPod(component string, is func(*corev1.Pod) bool) bool {
	found := false
	w.eachPod(component, func(pod *corev1.Pod) { found = found || is(pod) })
	return found
}

func (w *testCluster) eachPod(component string, do func(*corev1.Pod)) {
	for _, object := range w.everything() {
		if pod, is := object.(*corev1.Pod); is && pod.Labels[v1beta1.LabelComponent] == component {
			do(pod)
		}
	}
}

// What goes wrong.

func exits(code int32, message string) func(*corev1.ContainerStateTerminated) {
	return func(ended *corev1.ContainerStateTerminated) { ended.ExitCode, ended.Message = code, message }
}

func cut(head, tail int) func(*corev1.ContainerStateTerminated) {
	return func(ended *corev1.ContainerStateTerminated) {
		ended.Message = ended.Message[head : len(ended.Message)-tail]
	}
}

func killed(ended *corev1.ContainerStateTerminated) {
	ended.ExitCode, ended.Reason, ended.Message = 137, "OOMKilled", ""
}

// podStatus changes the status of a component's pods.
func podStatus(component string, change func(*corev1.PodStatus)) func(*testCluster) {
	return func(w *testCluster) {
		w.eachPod(component, func(pod *corev1.Pod) {
			change(&pod.Status)
			w.kubelet.report(pod, "reports a fault")
		})
	}
}

func outOfMemory(s *corev1.PodStatus) {
	s.ContainerStatuses = []corev1.ContainerStatus{simulated.Terminated(objects.LoginContainer, corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"})}
}

func restarted(s *corev1.PodStatus) { s.ContainerStatuses[0].RestartCount = 1 }

func evicted(s *corev1.PodStatus) {
	s.Phase, s.Reason, s.Message, s.ContainerStatuses = corev1.PodFailed, "Evicted", "The node was low on memory", nil
}

func disrupted(s *corev1.PodStatus) {
	s.Conditions = append(s.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue})
}

func ended(s *corev1.PodStatus) { s.Phase = corev1.PodFailed }

// deletes an attempt's objects of a kind and component.
func deletes(list client.ObjectList, component string) func(*testCluster) {
	return func(w *testCluster) {
		w.list(list, w.namespaces[0])
		for _, object := range extract(list) {
			if object.GetLabels()[v1beta1.LabelComponent] == component {
				w.log("user", "deletes "+kindOf(object)+" "+object.GetName())
				// In the background, as kubectl does.
				w.must("deleting", w.client.Delete(w.ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground)))
			}
		}
	}
}

// createsAnew replaces the Deployment with one of the same name and owner.
func createsAnew(w *testCluster) {
	list := &appsv1.DeploymentList{}
	w.list(list, w.namespaces[0])
	another := list.Items[0].DeepCopy()
	another.ObjectMeta = metav1.ObjectMeta{
		Namespace: another.Namespace, Name: another.Name, Labels: another.Labels, OwnerReferences: another.OwnerReferences,
	}
	w.log("user", "creates Deployment "+another.Name+" again")
	w.must("deleting", w.client.Delete(w.ctx, &list.Items[0]))
	w.must("creating again", w.client.Create(w.ctx, another))
}
