//go:build integration

package controllers_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// TestAForgedPodIsLeftAlone creates a pod under load that carries all labels of the attempt, has
// a controller with the name of one of its children, and has ended with a result. It must be
// neither harvested nor waited for nor deleted, and an event must name it.
func TestAForgedPodIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, apiVersion, kind, component string
	}{
		{"of a ConfigMap", "v1", "ConfigMap", generator},
		{"of another Job", "batch/v1", "Job", generator},
		{"of something else that is called Job", "example.test/v1", "Job", generator},
		{"of another ReplicaSet", "apps/v1", "ReplicaSet", service},
		{"of something else that is called ReplicaSet", "example.test/v1", "ReplicaSet", service},
		{"of a ReplicaSet that claims to be a generator", "apps/v1", "ReplicaSet", generator},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "forged")
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			w.run("its load is running", func() bool { return loaded(w) })
			trial := w.trialsOf(e)[0]
			// The owner exists, so that the garbage collector leaves the pod alone.
			owner := metav1.OwnerReference{APIVersion: tt.apiVersion, Kind: tt.kind, Name: objects.Child(trial.UID, 1) + "-x", UID: e.UID}
			pod := w.forge("forged", owner, string(trial.UID), generatorOn(lostNode, w.now().Add(time.Hour)))
			pod.Labels[v1beta1.LabelComponent] = tt.component
			pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = templateHash
			w.makeWithResult(pod, corev1.PodFailed)
			w.toEnd(e)
			w.checkAttempts(e, "Kept Measured")
			w.checkUntouched(pod)
			if !strings.Contains(w.transcript.text(), "They were ignored: Pod forged") {
				t.Error("no event names the forged pod")
			}
			if got := w.leftovers(e); got != "" {
				t.Errorf("the trial names as left behind: %q", got)
			}
			w.must("deleting it", w.client.Delete(w.ctx, pod, client.GracePeriodSeconds(0)))
			w.settle() // the deny policy selects it, too
			w.checkNothingLeft()
		})
	}
}

// makeWithResult creates a pod in a phase, whose container has ended with the result of a generator.
func (w *testCluster) makeWithResult(pod *corev1.Pod, phase corev1.PodPhase) {
	w.t.Helper()
	w.make(pod)
	pod.Status.Phase = phase
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{simulated.Terminated(objects.GeneratorContainer, corev1.ContainerStateTerminated{
		ExitCode: 1, Message: measurement.EncodeFailure(handover.ScriptError, "forged", 1), FinishedAt: *w.kubelet.moment(),
	})}
	w.kubelet.report(pod, "has a forged result")
}

// TestAPatchedDeploymentIsNotMeasured lets somebody change the Deployment before its pods are
// created, so that the pods and the template in the cluster agree.
func TestAPatchedDeploymentIsNotMeasured(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "forged")
	e := w.create(newExperiment("login", quick, oneVariant), 0)
	w.run("its Deployment is created", func() bool { return w.creates["Deployment"] > 0 })
	list := &appsv1.DeploymentList{}
	w.list(list, w.namespaces[0])
	patched := list.Items[0].DeepCopy()
	container := &patched.Spec.Template.Spec.Containers[0]
	container.Env = append(container.Env, corev1.EnvVar{Name: "GOGC", Value: "off"})
	w.must("patching the Deployment", w.client.Patch(w.ctx, patched, client.MergeFrom(&list.Items[0])))
	w.toEnd(e)
	if row := e.Status.Results[0]; row.Verdict != v1beta1.VerdictInvalid || row.Reasons[0].Type != v1beta1.ReasonPodAltered {
		t.Errorf("the row is %s", rowText(row))
	}
}

// TestAnOperatorWithAnotherImageTakesOver starts an operator with another image during an attempt.
func TestAnOperatorWithAnotherImageTakesOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		when     func(*testCluster) bool
		attempts []string
	}{
		"while the service is calibrated": {func(w *testCluster) bool { return w.creates["Deployment"] > 0 }, []string{"Interrupted OperatorChanged", "Kept Measured"}},
		"under load":                      {loaded, []string{"Kept Measured"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "upgrade")
			e := w.create(newExperiment("login", quick, oneVariant, func(s *v1beta1.SizingExperimentSpec) { s.AttemptsPerTrial = ptr.To[int32](1) }), 0)
			w.run("it is time", func() bool { return tt.when(w) })
			w.startOperator()
			w.operator.trials.Settings.ServiceImage = "example.test/loginservice:v2"
			w.toEnd(e)
			w.checkAttempts(e, tt.attempts...)
			if row := e.Status.Results[0]; row.Verdict != v1beta1.VerdictValid {
				t.Errorf("the row is %s", rowText(row))
			}
		})
	}
}
