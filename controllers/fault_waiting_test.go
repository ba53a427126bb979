//go:build integration

package controllers_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

const (
	service   = v1beta1.ComponentService
	generator = v1beta1.ComponentGenerator
)

const quotaRefusal = "pods is forbidden: exceeded quota: small"

// hindrances keep a component from starting. The trial reports the reason.
var hindrances = []struct {
	name, reason string
	mishap       mishap
}{
	{"the service can't be scheduled", v1beta1.ReasonUnschedulable, mishap{of: service, stuck: unschedulable}},
	{"the generator can't be scheduled", v1beta1.ReasonUnschedulable, mishap{of: generator, stuck: unschedulable}},
	{"the service's image can't be pulled", v1beta1.ReasonImagePull, mishap{of: service, stuck: waitingFor(objects.CalibrateContainer, "ImagePullBackOff")}},
	{"the generator's image can't be pulled", v1beta1.ReasonImagePull, mishap{of: generator, stuck: waitingFor(objects.GeneratorContainer, "ErrImagePull")}},
	{"the service's container can't be created", v1beta1.ReasonContainerRefused, mishap{of: service, stuck: waitingFor(objects.CalibrateContainer, "CreateContainerConfigError")}},
	{"the generator's container can't be created", v1beta1.ReasonContainerRefused, mishap{of: generator, stuck: waitingFor(objects.GeneratorContainer, "RunContainerError")}},
	{"a quota refuses the service", v1beta1.ReasonQuotaRefused, mishap{of: service, refusal: quotaRefusal}},
	{"a quota refuses the generator", v1beta1.ReasonQuotaRefused, mishap{of: generator, refusal: quotaRefusal}},
	{"admission refuses the service", v1beta1.ReasonAdmissionRefused, mishap{of: service, refusal: "violates PodSecurity"}},
	{"admission refuses the generator", v1beta1.ReasonAdmissionRefused, mishap{of: generator, refusal: "violates PodSecurity"}},
	{"the service's sandbox can't be created", v1beta1.ReasonDeploying, mishap{of: service, stuck: notStarted(objects.CalibrateContainer, "PodInitializing")}},
	{"the service's volume can't be mounted", v1beta1.ReasonDeploying, mishap{of: service, stuck: notStarted(objects.CalibrateContainer, "ContainerCreating")}},
	{"the generator's volume can't be mounted", v1beta1.ReasonDeploying, mishap{of: generator, stuck: notStarted(objects.GeneratorContainer, "ContainerCreating")}},
	{"kubelet says nothing about the service", v1beta1.ReasonDeploying, mishap{of: service, stuck: func(*corev1.PodStatus) {}}},
	{"kubelet says nothing about the generator", v1beta1.ReasonDeploying, mishap{of: generator, stuck: func(*corev1.PodStatus) {}}},
	{"the service never answers", v1beta1.ReasonDeploying, mishap{of: service, stuck: neverReady}},
	{"something suspends the load's Job", v1beta1.ReasonJobSuspended, mishap{of: generator, suspends: true}},
}

func TestAnAttemptThatCanNotStartIsGivenUpAfterTheStartTimeout(t *testing.T) {
	t.Parallel()
	for _, h := range hindrances {
		f := fault{mishap: h.mishap, reason: h.reason, waits: true, outcome: v1beta1.OutcomeBroken}
		t.Run(h.name, f.check)
	}
}

func TestAWaitThatEndsInTimeCostsNothing(t *testing.T) {
	fault{
		mishap: mishap{of: service, stuck: unschedulable},
		at: func(w *testCluster) bool {
			return w.now().Sub(epoch) > startTimeout/2
		},
		do:     func(w *testCluster) { w.kubelet.mishap = mishap{}; w.deletePods(service) },
		reason: v1beta1.ReasonMeasured, outcome: v1beta1.OutcomeKept,
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
	w.checkEnd(e, v1beta1.ExperimentFailed, v1beta1.ReasonNoneMeasured)
	w.checkAttempts(e, "Broken ImagePull", "Broken ImagePull", "Broken ImagePull")
	const want = "Gave up after 5m0s. Image example.test/image:v1 can't be pulled (ImagePullBackOff): not found"
	row, trial := e.Status.Results[0], w.trialsOf(e)[0].Status
	if trial.Phase != v1beta1.TrialFailed || trial.Reason != v1beta1.ReasonImagePull || trial.Message != want ||
		row.Verdict != v1beta1.VerdictInvalid || row.Reasons[0].Type != v1beta1.ReasonImagePull || row.Reasons[0].Message != want {
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
