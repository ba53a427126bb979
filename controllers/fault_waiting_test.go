//go:build integration

package controllers_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

const (
	service   = v1alpha1.ComponentService
	generator = v1alpha1.ComponentGenerator
)

func TestWhatCanNotBeHadIsGivenUpAfterTheStartTimeout(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{
		{name: "the service can't be scheduled", mishap: mishap{of: service, stuck: unschedulable}, reason: v1alpha1.ReasonUnschedulable},
		{name: "the generator can't be scheduled", mishap: mishap{of: generator, stuck: unschedulable}, reason: v1alpha1.ReasonUnschedulable},
		{name: "the service's image can't be pulled", mishap: mishap{of: service, stuck: waitingFor(objects.CalibrateContainer, "ImagePullBackOff")}, reason: v1alpha1.ReasonImagePull},
		{name: "the generator's image can't be pulled", mishap: mishap{of: generator, stuck: waitingFor(objects.GeneratorContainer, "ErrImagePull")}, reason: v1alpha1.ReasonImagePull},
		{name: "the service's container can't be created", mishap: mishap{of: service, stuck: waitingFor(objects.CalibrateContainer, "CreateContainerConfigError")}, reason: v1alpha1.ReasonContainerRefused},
		{name: "the generator's container can't be created", mishap: mishap{of: generator, stuck: waitingFor(objects.GeneratorContainer, "RunContainerError")}, reason: v1alpha1.ReasonContainerRefused},
		{name: "a quota refuses the service", mishap: mishap{of: service, refusal: "pods is forbidden: exceeded quota: small"}, reason: v1alpha1.ReasonQuotaRefused},
		{name: "a quota refuses the generator", mishap: mishap{of: generator, refusal: "pods is forbidden: exceeded quota: small"}, reason: v1alpha1.ReasonQuotaRefused},
		{name: "admission refuses the service", mishap: mishap{of: service, refusal: "violates PodSecurity"}, reason: v1alpha1.ReasonAdmissionRefused},
		{name: "admission refuses the generator", mishap: mishap{of: generator, refusal: "violates PodSecurity"}, reason: v1alpha1.ReasonAdmissionRefused},
		{name: "the service never answers", mishap: mishap{of: service, stuck: neverReady}, reason: v1alpha1.ReasonDeploying},
		{name: "the generator's pod is created and never gets a status", mishap: mishap{of: generator, stuck: func(*corev1.PodStatus) {}}, reason: v1alpha1.ReasonDeploying},
	} {
		f.waits, f.outcome = true, v1alpha1.OutcomeBroken
		t.Run(f.name, f.check)
	}
}

func TestAWaitThatEndsInTimeCostsNothing(t *testing.T) {
	fault{
		mishap: mishap{of: service, stuck: unschedulable},
		at: func(w *testCluster) bool {
			return w.now().Sub(epoch) > startTimeout/2
		},
		do:     func(w *testCluster) { w.kubelet.mishap = mishap{}; w.deletePods(service) },
		reason: v1alpha1.ReasonMeasured, outcome: v1alpha1.OutcomeKept,
	}.check(t)
}

// TestAnImageThatIsNeverPulledFailsTheExperiment runs an experiment with a permanent fault. All attempts
// are used up, and the trial and the row have the last reason.
func TestAnImageThatIsNeverPulledFailsTheExperiment(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "fault")
	w.kubelet.mishap = mishap{of: service, always: true, stuck: waitingFor(objects.CalibrateContainer, "ImagePullBackOff")}
	e := w.create(newExperiment("login", quick, oneVariant), 0)
	w.toEnd(e)
	w.checkEnd(e, v1alpha1.ExperimentFailed, v1alpha1.ReasonNoneMeasured)
	w.checkAttempts(e, "Broken ImagePull", "Broken ImagePull", "Broken ImagePull")
	const want = "Gave up after 5m0s. Image example.test/image:v1 can't be pulled (ImagePullBackOff): not found"
	row, trial := e.Status.Results[0], w.trialsOf(e)[0].Status
	if trial.Phase != v1alpha1.TrialFailed || trial.Reason != v1alpha1.ReasonImagePull || trial.Message != want ||
		row.Verdict != v1alpha1.VerdictInvalid || row.Reasons[0].Type != v1alpha1.ReasonImagePull || row.Reasons[0].Message != want {
		t.Errorf("the trial is %s, %s: %s; the row is %s", trial.Phase, trial.Reason, trial.Message, rowText(row))
	}
}

func unschedulable(s *corev1.PodStatus) {
	s.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/2 nodes are available",
	}}
}

func waitingFor(container, reason string) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		status := []corev1.ContainerStatus{{
			Name: container, Image: "example.test/image:v1",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "not found"}},
		}}
		if container == objects.CalibrateContainer {
			s.InitContainerStatuses = status
		} else {
			s.ContainerStatuses = status
		}
	}
}

func neverReady(s *corev1.PodStatus) {
	s.Phase = corev1.PodRunning
	s.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodInitialized, Status: corev1.ConditionTrue},
	}
}
