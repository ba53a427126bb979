package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// beforeLoad returns the next step of a deployed service until its load begins.
func beforeLoad(o *Observation) Decision {
	attempt := o.attempt()
	if waiting := serviceWaits(o); waiting != nil {
		return waitOrBreak(o, *waiting, waitingSince(o))
	}
	switch {
	case len(attempt.ServicePodUIDs) == 0:
		return Decision{Action: Record, Reason: v1beta1.ReasonDeploying, Message: preparing}
	case o.Trial.Spec.Role == v1beta1.RoleCalibration:
		return Decision{Action: Conclude, Reason: v1beta1.ReasonMeasured, Message: "The hashes were timed; no load is run"}
	case infeasible(o.Trial):
		return Decision{Action: Conclude, Reason: v1beta1.ReasonInfeasible, Message: "No rate can meet the objective; no load is run"}
	case o.outnumbered():
		return waitDeployed(o)
	default:
		return Decision{Action: Load, Reason: v1beta1.ReasonUnderLoad, Message: loading}
	}
}

// waitDeployed waits for others with a service that is deployed. After the start timeout it
// interrupts the attempt, which then does not count: the service would end itself at the
// attempt's deadline. The next attempt begins once the others have ended.
func waitDeployed(o *Observation) Decision {
	waiting := waitForOthers(o)
	if o.Now.Sub(waitingSince(o)) >= o.StartTimeout {
		waiting.Action = Interrupt
	}
	return waiting
}

// waitingSince returns when the service began to wait. The calibration in between is work, so
// waiting begins again after it.
func waitingSince(o *Observation) time.Time {
	since := o.attempt().StartTime.Time
	for i := range o.Children.CompanionPods {
		if at := podCondition(&o.Children.CompanionPods[i], corev1.PodReady).LastTransitionTime; o.Children.Deployment != nil && at.After(since) {
			since = at.Time
		}
	}
	if _, calibrated := calibrationTimes(o.Children.ServicePods); calibrated != nil && calibrated.After(since) {
		since = calibrated.Time
	}
	for i := range o.Children.ServicePods {
		pod := &o.Children.ServicePods[i]
		if at := podCondition(pod, corev1.PodInitialized).LastTransitionTime; initialized(pod) && at.After(since) {
			since = at.Time
		}
	}
	return since
}

// serviceWaits returns what the login service waits for, or nil once it is calibrated. It does
// not wait until the service answers: the generator does that while k6 starts. Waiting for one
// after the other would cost two seconds per trial.
func serviceWaits(o *Observation) *Decision {
	c := o.Children
	for i := range c.ServicePods {
		if w := podWaits(&c.ServicePods[i]); w != nil {
			return w
		}
	}
	if len(c.ServicePods) < int(o.Trial.Spec.Service.Replicas) {
		for _, condition := range c.Deployment.Status.Conditions {
			if condition.Type == "ReplicaFailure" && condition.Status == corev1.ConditionTrue {
				return o.refusal("a pod of the login service", condition.Message)
			}
		}
		return wait(v1beta1.ReasonDeploying, preparing)
	}
	return podsSettled(o)
}

// podsSettled returns what pods without errors are still waiting for, or nil.
func podsSettled(o *Observation) *Decision {
	c := o.Children
	if len(c.ServicePods) > int(o.Trial.Spec.Service.Replicas) {
		return wait(v1beta1.ReasonDeploying, "Waiting for a replaced pod of the login service to terminate")
	}
	for i := range c.ServicePods {
		pod := &c.ServicePods[i]
		switch {
		case pod.DeletionTimestamp != nil:
			return wait(v1beta1.ReasonDeploying, "Waiting for pod "+pod.Name+" to terminate")
		case calibrates(pod) && !initialized(pod):
			return &Decision{Action: Wait, Reason: v1beta1.ReasonDeploying, Message: preparing, calibrating: true}
		case !initialized(pod) && o.Now.Sub(waitingSince(o)) < queue.Patience:
			return wait(v1beta1.ReasonDeploying, preparing) // as shown since the attempt began
		case !initialized(pod):
			return wait(v1beta1.ReasonDeploying, "Waiting for pod "+pod.Name+" to start"+startingAs(pod))
		case pod.Status.PodIP == "":
			return wait(v1beta1.ReasonDeploying, "Waiting for pod "+pod.Name+" to get an IP address")
		}
	}
	return nil
}

// breakage returns what has made the attempt's numbers unusable, or nil.
func breakage(o *Observation) *Decision {
	attempt, c := o.attempt(), o.Children
	if loadEnd(c).IsZero() && o.Now.After(Deadline(o.Trial, attempt, o.StartTimeout)) {
		return broken(v1beta1.ReasonDeadlineExceeded, "The attempt exceeded its deadline")
	}
	if gone := childGone(attempt, c); gone != nil {
		return gone
	}
	if attempt.JobUID != "" && len(o.Strays) > 0 {
		return broken(v1beta1.ReasonGeneratorReplaced,
			"A load generator that no Job controls any more ran beside the one of this attempt: %s", strings.Join(o.Strays, ", "))
	}
	if failed := companionsBroken(o); failed != nil {
		return failed
	}
	return servicePodsBroken(o)
}

// childGone returns which child of the attempt was deleted or replaced, or nil.
func childGone(attempt *v1beta1.Attempt, c Children) *Decision {
	switch {
	case attempt.ServiceUID != "" && c.Deployment == nil:
		return broken(v1beta1.ReasonServiceDeleted, "The login service's Deployment was deleted")
	case attempt.ServiceUID != "" && c.Deployment.UID != attempt.ServiceUID:
		return broken(v1beta1.ReasonServiceReplaced, "The login service's Deployment was replaced")
	case attempt.LoadStartTime != nil && c.Service == nil:
		return broken(v1beta1.ReasonServiceDeleted, "The login service's Service was deleted")
	case attempt.JobUID != "" && (c.Job == nil || c.Job.UID != attempt.JobUID):
		return broken(v1beta1.ReasonJobDeleted, "The k6 Job was deleted or replaced before its result was read")
	}
	return nil
}

// servicePodsBroken returns which pod of the service failed, or is not one that the load began
// with. It returns nil if all are in order.
func servicePodsBroken(o *Observation) *Decision {
	attempt, c := o.attempt(), o.Children
	longest := 2 * calibrationTime(o.Trial.Spec) // the operator's clock and the node's may differ
	var seen []types.UID
	for i := range c.ServicePods {
		pod := &c.ServicePods[i]
		if failed := podFailed(pod, loadEnd(c), o.withSecret()); failed != nil {
			return failed
		}
		if calibratesTooLong(pod, attempt, longest, o.Now) {
			return broken(v1beta1.ReasonCalibrationFailed, "The calibration of pod %s did not end within %s", pod.Name, longest)
		}
		if joinedLoad(pod, attempt, c) {
			return broken(v1beta1.ReasonServiceReplaced, "Pod %s was added to the login service while it was measured", pod.Name)
		}
		if pod.DeletionTimestamp == nil {
			seen = append(seen, pod.UID)
		}
	}
	for _, uid := range attempt.ServicePodUIDs {
		if !slices.Contains(seen, uid) {
			return broken(v1beta1.ReasonServiceReplaced,
				"A pod of the login service was deleted or replaced while it was measured")
		}
	}
	return nil
}

// joinedLoad reports whether a pod was added after the service's pods were recorded, for example
// because somebody scaled the Deployment. A pod that was added after the load can't affect its
// numbers.
func joinedLoad(pod *corev1.Pod, attempt *v1beta1.Attempt, c Children) bool {
	if len(attempt.ServicePodUIDs) == 0 || slices.Contains(attempt.ServicePodUIDs, pod.UID) {
		return false
	}
	end := loadEnd(c)
	return end.IsZero() || pod.CreationTimestamp.Time.Before(end)
}

func broken(reason, format string, args ...any) *Decision {
	return &Decision{Action: Break, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func wait(reason, message string) *Decision {
	return &Decision{Action: Wait, Reason: reason, Message: message}
}
