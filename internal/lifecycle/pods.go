package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// podWaits returns what a pod waits for that it can't change itself, or nil.
func podWaits(pod *corev1.Pod) *Decision {
	if scheduled := podCondition(pod, corev1.PodScheduled); scheduled.Status == corev1.ConditionFalse {
		return wait(v1beta1.ReasonUnschedulable, "Pod "+pod.Name+" can't be scheduled: "+scheduled.Message)
	}
	for _, container := range containers(pod) {
		if d := containerWaits(container); d != nil {
			return d
		}
	}
	return nil
}

// containerWaits maps kubelet's reasons for a container that has not started to ours.
func containerWaits(container corev1.ContainerStatus) *Decision {
	waiting := ptr.Deref(container.State.Waiting, corev1.ContainerStateWaiting{})
	switch waiting.Reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable":
		return wait(v1beta1.ReasonImagePull,
			fmt.Sprintf("Image %s can't be pulled (%s): %s", container.Image, waiting.Reason, waiting.Message))
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return wait(v1beta1.ReasonContainerRefused,
			fmt.Sprintf("Container %s can't start (%s): %s", container.Name, waiting.Reason, waiting.Message))
	}
	return nil
}

// podFailed returns how a pod of the login service failed, or nil. Nothing that a service with a key of a Secret said is quoted.
func podFailed(pod *corev1.Pod, loadEnd time.Time, withSecret *v1beta1.OwnService) *Decision {
	if pod.Status.Reason == "Evicted" || disrupted(pod) {
		return broken(v1beta1.ReasonServiceEvicted, "Pod %s of the login service was evicted: %s", pod.Name, pod.Status.Message)
	}
	for _, container := range containers(pod) {
		if failed := containerFailed(container, loadEnd, withSecret); failed != nil {
			return failed
		}
	}
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return broken(v1beta1.ReasonServiceFailed, "Pod %s of the login service ended: %s", pod.Name, pod.Status.Message)
	}
	return nil
}

// containerFailed returns how a container of the login service failed, or nil. What happens after the
// load has ended can't affect its numbers: if the operator does not harvest them in time, the service
// ends itself at its deadline.
func containerFailed(container corev1.ContainerStatus, loadEnd time.Time, withSecret *v1beta1.OwnService) *Decision {
	ended := cmp.Or(container.State.Terminated, container.LastTerminationState.Terminated)
	switch {
	case ended != nil && !loadEnd.IsZero() && ended.FinishedAt.After(loadEnd):
		return nil
	case ended != nil && ended.Reason == "OOMKilled":
		return broken(v1beta1.ReasonServiceOOMKilled,
			"Container %s of the login service ran out of memory; raise spec.service.memoryLimit", container.Name)
	}
	failed := preparationFailed(container.Name, ended, withSecret)
	if failed == nil && container.RestartCount > 0 {
		return broken(v1beta1.ReasonServiceRestarted, "Container %s of the login service restarted while it was measured", container.Name)
	}
	return failed
}

// preparationFailed returns how a container failed that ends before the service starts, or nil.
func preparationFailed(container string, ended *corev1.ContainerStateTerminated, withSecret *v1beta1.OwnService) *Decision {
	switch {
	case ended == nil || ended.ExitCode == 0:
		return nil
	case container == objects.CalibrateContainer:
		return calibrationFailed(ended, withSecret)
	case container == objects.InstallContainer:
		return broken(v1beta1.ReasonContainerRefused, "Container %s of the login service failed with exit code %d: %s",
			container, ended.ExitCode, strings.TrimPrefix(strings.TrimSpace(ended.Message), "loginservice: "))
	}
	return nil
}

// calibrationFailed returns why a calibration failed. That of a user's own login service begins its
// message with the reason. A program of the service's can write that message, too.
func calibrationFailed(ended *corev1.ContainerStateTerminated, withSecret *v1beta1.OwnService) *Decision {
	text := strings.TrimSpace(ended.Message)
	if reason, why, _ := strings.Cut(text, ": "); slices.Contains(handover.RehearsalReasons, reason) && why != "" {
		if withSecret != nil {
			why = withoutQuotes(reason, why, &withSecret.Login)
		}
		return broken(reason, "The login service can't be measured: %s", why)
	}
	if withSecret != nil {
		text = loginflow.Hidden
	}
	return broken(v1beta1.ReasonCalibrationFailed, "The calibration failed with exit code %d: %s", ended.ExitCode, text)
}

// calibratesTooLong reports whether a pod's calibration should have ended long ago. It gives up by
// itself only at the attempt's deadline, which also allows for the load. Its start is a time of the
// node's clock, which may be behind; the calibration did not begin before the attempt.
func calibratesTooLong(pod *corev1.Pod, attempt *v1beta1.Attempt, longest time.Duration, now time.Time) bool {
	running := calibrationOf(pod).Running
	return running != nil && now.Sub(running.StartedAt.Time) > longest && now.Sub(attempt.StartTime.Time) > longest
}

// disrupted reports whether the control plane removed the pod.
func disrupted(pod *corev1.Pod) bool {
	return podCondition(pod, corev1.DisruptionTarget).Status == corev1.ConditionTrue
}

// RefusalReason maps the API server's message about an object that it does not admit to a reason.
func RefusalReason(message string) string {
	if strings.Contains(message, "exceeded quota") || strings.Contains(message, "failed quota") {
		return v1beta1.ReasonQuotaRefused
	}
	return v1beta1.ReasonAdmissionRefused
}

// refusal waits for a kind of object that the API server does not admit.
func (o *Observation) refusal(what, message string) *Decision {
	text := fmt.Sprintf("The cluster refuses %s: %s", what, strings.TrimSuffix(message, "."))
	if do := adviceOn(message); do != "" {
		// The advice comes first: a message can be long, and its middle is left out then.
		text = fmt.Sprintf("The cluster refuses %s. %s. It says: %s", what, do, strings.TrimSuffix(message, "."))
	}
	reason := RefusalReason(message)
	if reason == v1beta1.ReasonQuotaRefused && o.Needs.Pods > 0 {
		text = fmt.Sprintf("An attempt needs %s. %s", o.Needs, text)
	}
	return wait(reason, text)
}

// Refused returns what follows if the API server does not admit an object of the attempt: wait, and
// break the attempt off if that has lasted too long. While it waits the message stays the first
// one. A webhook may answer each time with another one, and each write of the status causes the
// next pass at once.
func Refused(o *Observation, message string) Decision {
	decision := waitOrBreak(o, *o.refusal("an object", message), waitingSince(o))
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

// startingAs returns kubelet's reason why a pod has not started, in parentheses, or "".
func startingAs(pod *corev1.Pod) string {
	for _, container := range containers(pod) {
		if waiting := container.State.Waiting; waiting != nil && waiting.Reason != "" {
			return " (" + waiting.Reason + ")"
		}
	}
	return ""
}

// calibrationOf returns the state of the container that calibrates.
func calibrationOf(pod *corev1.Pod) corev1.ContainerState {
	for _, container := range pod.Status.InitContainerStatuses {
		if container.Name == objects.CalibrateContainer {
			return container.State
		}
	}
	return corev1.ContainerState{}
}

// calibrates reports whether a pod's calibration runs, or has ended with kubelet not saying yet that the
// pod is initialized.
func calibrates(pod *corev1.Pod) bool {
	state := calibrationOf(pod)
	return state.Running != nil || state.Terminated != nil
}

func initialized(pod *corev1.Pod) bool {
	return podCondition(pod, corev1.PodInitialized).Status == corev1.ConditionTrue
}

// podCondition returns a condition of a pod; the zero value if it has none of that kind.
func podCondition(pod *corev1.Pod, kind corev1.PodConditionType) corev1.PodCondition {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return corev1.PodCondition{}
}
