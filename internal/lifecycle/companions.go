package lifecycle

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// CompanionAddresses returns the addresses of the service's companions, by name, and whether all of them are ready. Without
// companions it is.
func (o *Observation) CompanionAddresses() (addresses map[string]string, ready bool) {
	addresses = map[string]string{}
	for _, companion := range objects.Companions(o.Trial.Spec) {
		if pod := o.companionPod(companion.Name); pod != nil && podCondition(pod, corev1.PodReady).Status == corev1.ConditionTrue {
			addresses[companion.Name] = pod.Status.PodIP
		}
	}
	return addresses, len(addresses) == len(objects.Companions(o.Trial.Spec))
}

// GivenAddresses returns the addresses of the companions that the login service was given, by name.
func (o *Observation) GivenAddresses() map[string]string {
	addresses := map[string]string{}
	for _, alias := range o.Children.Deployment.Spec.Template.Spec.HostAliases {
		for _, name := range alias.Hostnames {
			addresses[name] = alias.IP
		}
	}
	return addresses
}

// companionPod returns the only pod of a companion, or nil.
func (o *Observation) companionPod(name string) *corev1.Pod {
	var found *corev1.Pod
	for i := range o.Children.CompanionPods {
		pod := &o.Children.CompanionPods[i]
		if pod.Labels[v1beta1.LabelCompanion] != name || pod.DeletionTimestamp != nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = pod
	}
	return found
}

// companionsDeployed reports whether everything exists that companions need.
func companionsDeployed(o *Observation) bool {
	return len(o.Children.Companions) == len(objects.Companions(o.Trial.Spec))
}

// companionsWait returns what the companions wait for, or nil once all of them are ready. The service is created after that.
func companionsWait(o *Observation) *Decision {
	for i := range o.Children.CompanionPods {
		if w := podWaits(&o.Children.CompanionPods[i]); w != nil {
			return w
		}
	}
	for _, companion := range objects.Companions(o.Trial.Spec) {
		if w := o.companionWaits(companion.Name); w != nil {
			return w
		}
	}
	return nil
}

// companionWaits returns what a companion without errors waits for, or nil once it is ready.
func (o *Observation) companionWaits(name string) *Decision {
	pod := o.companionPod(name)
	switch {
	case pod != nil && podCondition(pod, corev1.PodReady).Status == corev1.ConditionTrue:
		return nil
	case pod != nil && startedAt(pod) != nil:
		// It works. Like a calibration, this is no wait for something else, and companionsBroken limits it.
		return &Decision{Action: Wait, Reason: v1beta1.ReasonCompanionNotReady, Message: "Waiting for companion " + name + " to be ready", calibrating: true}
	case o.Now.Sub(o.attempt().StartTime.Time) < queue.Patience:
		return wait(v1beta1.ReasonDeploying, preparing) // as shown since the attempt began
	case pod != nil:
		return wait(v1beta1.ReasonCompanionNotReady, "Waiting for companion "+name+" to be ready"+startingAs(pod))
	}
	if refused := o.companionRefused(name); refused != nil {
		return refused
	}
	return wait(v1beta1.ReasonCompanionNotReady, "Waiting for the pod of companion "+name)
}

// companionRefused returns why the pod of a companion is not admitted, or nil.
func (o *Observation) companionRefused(name string) *Decision {
	for _, deployment := range o.Children.Companions {
		for _, condition := range deployment.Status.Conditions {
			if deployment.Labels[v1beta1.LabelCompanion] == name && condition.Type == "ReplicaFailure" && condition.Status == corev1.ConditionTrue {
				return o.refusal("the pod of companion "+name, condition.Message)
			}
		}
	}
	return nil
}

// startedAt returns when a companion's container began to run, or nil if it has not.
func startedAt(pod *corev1.Pod) *metav1.Time {
	for _, container := range pod.Status.ContainerStatuses {
		if container.State.Running != nil {
			return &container.State.Running.StartedAt
		}
	}
	return nil
}

// companionsBroken returns which companion failed, was late or is not the one that the service was given, or nil.
func companionsBroken(o *Observation) *Decision {
	for i := range o.Children.CompanionPods {
		if failed := companionPodFailed(&o.Children.CompanionPods[i], loadEnd(o.Children), o.withSecret()); failed != nil {
			return failed
		}
	}
	for _, companion := range objects.Companions(o.Trial.Spec) {
		if late := companionLate(o, companion); late != nil {
			return late
		}
		if o.Children.Deployment == nil || !loadEnd(o.Children).IsZero() {
			continue
		}
		if pod := o.companionPod(companion.Name); pod == nil || o.GivenAddresses()[companion.Name] != pod.Status.PodIP {
			return broken(v1beta1.ReasonCompanionFailed, "The pod of companion %s was deleted or replaced while the service was measured", companion.Name)
		}
	}
	return nil
}

// companionPodFailed returns how the pod of a companion failed, or nil.
func companionPodFailed(pod *corev1.Pod, loadEnd time.Time, withSecret *v1beta1.OwnService) *Decision {
	name := pod.Labels[v1beta1.LabelCompanion]
	for _, container := range containers(pod) {
		if failed := companionFailed(name, container, loadEnd, withSecret); failed != nil {
			return failed
		}
	}
	ended := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
	if loadEnd.IsZero() && (ended || pod.Status.Reason == "Evicted" || disrupted(pod)) {
		return broken(v1beta1.ReasonCompanionFailed, "The pod of companion %s ended: %s", name, cmp.Or(pod.Status.Message, pod.Status.Reason, string(pod.Status.Phase)))
	}
	return nil
}

// companionFailed returns how a container of a companion failed, or nil. What happens after the load can't affect its numbers.
func companionFailed(name string, container corev1.ContainerStatus, loadEnd time.Time, withSecret *v1beta1.OwnService) *Decision {
	ended := cmp.Or(container.State.Terminated, container.LastTerminationState.Terminated)
	switch {
	case ended == nil || !loadEnd.IsZero() && ended.FinishedAt.After(loadEnd) || ended.ExitCode == 0 && container.Name != objects.CompanionContainer:
		return nil
	case ended.Reason == "OOMKilled":
		return broken(v1beta1.ReasonCompanionOOMKilled, "Companion %s ran out of memory; raise its memoryLimit", name)
	default:
		text := strings.TrimSpace(ended.Message)
		switch {
		case withSecret != nil:
			text = ": its output is " + loginflow.Hidden
		case text != "":
			text = ": " + text
		}
		return broken(v1beta1.ReasonCompanionFailed, "Companion %s ended with exit code %d; it can write only to its writable folders, and reaches nobody%s", name, ended.ExitCode, text)
	}
}

// companionLate returns that a companion is not ready in the time that the spec gives it, which begins with its container, or nil.
func companionLate(o *Observation, companion v1beta1.Companion) *Decision {
	pod := o.companionPod(companion.Name)
	if pod == nil || podCondition(pod, corev1.PodReady).Status == corev1.ConditionTrue || o.Children.Deployment != nil {
		return nil
	}
	limit := time.Duration(max(1, companion.Ready.TimeoutSeconds)) * time.Second
	// The node's clock may be behind; the companion did not start before the attempt.
	if since := startedAt(pod); since != nil && o.Now.Sub(since.Time) > limit && o.Now.Sub(o.attempt().StartTime.Time) > limit {
		return broken(v1beta1.ReasonCompanionNotReady, "Companion %s was not ready within %s; raise its ready.timeoutSeconds or cpuLimit, or read its log while it starts: kubectl logs -f -l %s=%s",
			companion.Name, limit, v1beta1.LabelCompanion, companion.Name)
	}
	return nil
}
