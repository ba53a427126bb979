package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/observe"
)

// podWaits returns what a pod waits for that it can't change itself, or nil.
func podWaits(pod *corev1.Pod) *Decision {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return wait(v1alpha1.ReasonUnschedulable, "Pod "+pod.Name+" can't be scheduled: "+condition.Message)
		}
	}
	for _, container := range containers(pod) {
		if container.State.Waiting == nil {
			continue
		}
		if d := containerWaits(container); d != nil {
			return d
		}
	}
	return nil
}

// containerWaits maps kubelet's reasons for a container that has not started to ours.
func containerWaits(container corev1.ContainerStatus) *Decision {
	waiting := container.State.Waiting
	switch waiting.Reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable":
		return wait(v1alpha1.ReasonImagePull,
			fmt.Sprintf("Image %s can't be pulled (%s): %s", container.Image, waiting.Reason, waiting.Message))
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return wait(v1alpha1.ReasonContainerRefused,
			fmt.Sprintf("Container %s can't start (%s): %s", container.Name, waiting.Reason, waiting.Message))
	}
	return nil
}

// podFailed returns how a pod of the login service failed, or empty strings.
func podFailed(pod *corev1.Pod, loadEnd time.Time) (reason, message string) {
	if pod.Status.Reason == "Evicted" || disrupted(pod) {
		return v1alpha1.ReasonServiceEvicted, "Pod " + pod.Name + " of the login service was evicted: " + pod.Status.Message
	}
	for _, container := range containers(pod) {
		if reason, message := containerFailed(container, loadEnd); reason != "" {
			return reason, message
		}
	}
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return v1alpha1.ReasonServiceFailed, "Pod " + pod.Name + " of the login service ended: " + pod.Status.Message
	}
	return "", ""
}

// containerFailed returns how a container of the login service failed, or empty strings. What
// happens after the load has ended can't affect its numbers: if the operator does not harvest
// them in time, the service ends itself at its deadline.
func containerFailed(container corev1.ContainerStatus, loadEnd time.Time) (reason, message string) {
	ended := termination(container)
	switch {
	case ended != nil && !loadEnd.IsZero() && ended.FinishedAt.After(loadEnd):
		return "", ""
	case ended != nil && ended.Reason == "OOMKilled":
		return v1alpha1.ReasonServiceOOMKilled, fmt.Sprintf(
			"Container %s of the login service ran out of memory; raise spec.service.memoryLimit", container.Name)
	case ended != nil && ended.ExitCode != 0 && container.Name == objects.CalibrateContainer:
		return calibrationFailed(ended)
	case container.RestartCount > 0:
		return v1alpha1.ReasonServiceRestarted, "Container " + container.Name + " of the login service restarted while it was measured"
	}
	return "", ""
}

// calibrationFailed returns why a calibration failed. That of a user's own login service begins its
// message with the reason.
func calibrationFailed(ended *corev1.ContainerStateTerminated) (reason, message string) {
	text := strings.TrimSpace(ended.Message)
	if reason, why, _ := strings.Cut(text, ": "); slices.Contains(observe.Reasons, reason) && why != "" {
		return reason, "The login service can't be measured: " + why
	}
	return v1alpha1.ReasonCalibrationFailed, fmt.Sprintf("The calibration failed with exit code %d: %s", ended.ExitCode, text)
}

// calibratesTooLong reports whether a pod's calibration should have ended long ago. It gives up by
// itself only at the attempt's deadline, which also allows for the load. Its start is a time of the
// node's clock, which may be behind; the calibration did not begin before the attempt.
func calibratesTooLong(pod *corev1.Pod, attempt *v1alpha1.Attempt, longest time.Duration, now time.Time) bool {
	if now.Sub(attempt.StartTime.Time) <= longest {
		return false
	}
	for _, container := range pod.Status.InitContainerStatuses {
		running := container.State.Running
		if container.Name == objects.CalibrateContainer && running != nil && now.Sub(running.StartedAt.Time) > longest {
			return true
		}
	}
	return false
}

// disrupted reports whether the control plane removed the pod.
func disrupted(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// RefusalReason maps the API server's message about an object that it does not admit to a reason.
func RefusalReason(message string) string {
	if strings.Contains(message, "exceeded quota") || strings.Contains(message, "failed quota") {
		return v1alpha1.ReasonQuotaRefused
	}
	return v1alpha1.ReasonAdmissionRefused
}

// refusal waits for a kind of object that the API server does not admit.
func refusal(what, message string) *Decision {
	reason := RefusalReason(message)
	if reason == v1alpha1.ReasonQuotaRefused {
		return wait(reason, fmt.Sprintf("A resource quota of the namespace refuses %s; raise the quota or request less: %s", what, message))
	}
	return wait(reason, fmt.Sprintf("The cluster refuses %s: %s", what, message))
}

// Refused returns what follows if the API server does not admit an object of the attempt: wait, and
// break the attempt off if that has lasted too long. While it waits the message stays the first
// one. A webhook may answer each time with another one, and each write of the status causes the
// next pass at once.
func Refused(o *Observation, message string) Decision {
	decision := waitOrBreak(o, *refusal("an object", message), waitingSince(o))
	if status := &o.Trial.Status; decision.Action == Wait && decision.Reason == status.Reason {
		decision.Message = status.Message
	}
	return decision
}

// waitOrBreak returns the given wait, or breaks the attempt off if the wait has lasted too
// long.
func waitOrBreak(o *Observation, waiting Decision, since time.Time) Decision {
	if waiting.calibrating {
		return waiting
	}
	if waiting.since = since; o.Now.Sub(since) < o.StartTimeout {
		return waiting
	}
	waiting.Action = Break
	waiting.since = time.Time{}
	waiting.Message = fmt.Sprintf("Gave up after %s. %s", o.StartTimeout, waiting.Message)
	return waiting
}

// containers returns the statuses of a pod's containers in the order in which they start.
func containers(pod *corev1.Pod) []corev1.ContainerStatus {
	all := make([]corev1.ContainerStatus, 0, len(pod.Status.InitContainerStatuses)+len(pod.Status.ContainerStatuses))
	return append(append(all, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...)
}

// termination returns how a container ended, now or the last time.
func termination(container corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if container.State.Terminated != nil {
		return container.State.Terminated
	}
	return container.LastTerminationState.Terminated
}

// startingAs returns kubelet's reason why a pod has not started, in parentheses, or "".
func startingAs(pod *corev1.Pod) string {
	for _, container := range containers(pod) {
		if waiting := container.State.Waiting; waiting != nil && waiting.Reason != "" {
			return " (" + waiting.Reason + ")"
		}
	}
	return ""
}

// calibrates reports whether a pod's calibration runs, or has ended with kubelet not saying yet that the
// pod is initialized.
func calibrates(pod *corev1.Pod) bool {
	for _, container := range pod.Status.InitContainerStatuses {
		if container.Name == objects.CalibrateContainer {
			return container.State.Running != nil || container.State.Terminated != nil
		}
	}
	return false
}

func initialized(pod *corev1.Pod) bool { return podCondition(pod, corev1.PodInitialized) }

func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == kind {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
