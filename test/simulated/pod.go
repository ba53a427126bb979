package simulated

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// Calibrate gives a login pod its address and starts its calibration.
func Calibrate(pod *corev1.Pod, address string, now metav1.Time) {
	set(&pod.Status, corev1.PodScheduled, now)
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{running(objects.CalibrateContainer, now)}
	pod.Status.PodIP = address
}

// EndCalibration ends a login pod's calibration, and starts the login service if it succeeded.
func EndCalibration(pod *corev1.Pod, ended corev1.ContainerStateTerminated) {
	status := &pod.Status
	status.InitContainerStatuses = []corev1.ContainerStatus{Terminated(objects.CalibrateContainer, ended)}
	if ended.ExitCode != 0 {
		return
	}
	set(status, corev1.PodInitialized, ended.FinishedAt)
	status.Phase = corev1.PodRunning
	status.ContainerStatuses = []corev1.ContainerStatus{running(objects.LoginContainer, ended.FinishedAt)}
}

// Serve makes a login pod ready.
func Serve(pod *corev1.Pod, now metav1.Time) { set(&pod.Status, corev1.PodReady, now) }

// Accompany makes a companion's pod ready.
func Accompany(pod *corev1.Pod, address string, now metav1.Time) {
	pod.Status.PodIP, pod.Status.Phase = address, corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{running(objects.CompanionContainer, now)}
	set(&pod.Status, corev1.PodReady, now)
}

// StartLoad starts the container of a generator pod.
func StartLoad(pod *corev1.Pod, now metav1.Time) {
	set(&pod.Status, corev1.PodScheduled, now)
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{running(objects.GeneratorContainer, now)}
}

// EndLoad ends a generator pod.
func EndLoad(pod *corev1.Pod, ended corev1.ContainerStateTerminated) {
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{Terminated(objects.GeneratorContainer, ended)}
	pod.Status.Phase = corev1.PodSucceeded
	if ended.ExitCode != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
}

// Ended returns the state of a running container that ends now.
func Ended(was []corev1.ContainerStatus, message string, now metav1.Time) corev1.ContainerStateTerminated {
	return corev1.ContainerStateTerminated{Message: message, StartedAt: was[0].State.Running.StartedAt, FinishedAt: now}
}

// Terminated returns the status of a container that has ended.
func Terminated(name string, how corev1.ContainerStateTerminated) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &how}}
}

// running returns the status of a container that has just started.
func running(name string, now metav1.Time) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}}
}

// set adds a condition of a pod that is true from now on. The API server itself adds that a
// pod is scheduled.
func set(status *corev1.PodStatus, kind corev1.PodConditionType, now metav1.Time) {
	if Holds(status, kind) {
		return
	}
	status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now})
}

// Holds reports whether a condition of a pod is true.
func Holds(status *corev1.PodStatus, kind corev1.PodConditionType) bool {
	for _, condition := range status.Conditions {
		if condition.Type == kind {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// MachineOf returns the machine that a login pod runs on, with its container's CPU limit. A hash
// without a cost takes as long as bcrypt with cost 10.
func MachineOf(pod *corev1.Pod) (Machine, error) {
	container := pod.Spec.Containers[0]
	cost, err := strconv.ParseInt(cmp.Or(Variable(container, envvar.Cost), "10"), 10, 32)
	if err != nil {
		return Machine{}, fmt.Errorf("reading the cost of login pod %s: %w", pod.Name, err)
	}
	return Machine{Cost: int32(cost), MilliCPU: container.Resources.Limits.Cpu().MilliValue()}, nil
}

// PlanOf returns the plan of a generator pod.
func PlanOf(pod *corev1.Pod) (plan loadplan.Plan, err error) {
	if err := json.Unmarshal([]byte(Variable(pod.Spec.Containers[0], envvar.Plan)), &plan); err != nil {
		return plan, fmt.Errorf("reading the plan of generator pod %s: %w", pod.Name, err)
	}
	return plan, nil
}

// Variable returns one of a container's environment variables.
func Variable(container corev1.Container, name string) string {
	for _, v := range container.Env {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}
