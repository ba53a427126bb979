package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// beforeLoad takes a deployed service to the moment when its load may begin.
func beforeLoad(o *Observation) Decision {
	attempt := o.attempt()
	if waiting := serviceWaits(o); waiting != nil {
		return patience(o, *waiting, waitingSince(o))
	}
	switch {
	case len(attempt.ServicePodUIDs) == 0:
		return Decision{Action: Record, Reason: v1alpha1.ReasonCalibrating, Message: "The login service is calibrated"}
	case infeasible(o.Trial):
		return Decision{Action: Conclude, Reason: v1alpha1.ReasonInfeasible, Message: "No rate can meet the objective, so that no load is driven"}
	case len(o.OthersUnderLoad) >= o.MaxUnderLoad:
		return Decision{
			Action: Wait, Reason: v1alpha1.ReasonWaitingForOthers, After: look,
			Message: "Another trial is still under load: " + strings.Join(o.OthersUnderLoad, ", "),
		}
	default:
		return Decision{Action: Load, Reason: v1alpha1.ReasonUnderLoad, Message: "Driving the login service with k6"}
	}
}

// waitingSince is when the service began to wait: calibration, which lies in
// between, is work.
func waitingSince(o *Observation) time.Time {
	since := o.attempt().StartTime.Time
	for i := range o.Children.ServicePods {
		for _, condition := range o.Children.ServicePods[i].Status.Conditions {
			if condition.Type == corev1.PodInitialized && condition.Status == corev1.ConditionTrue &&
				condition.LastTransitionTime.After(since) {
				since = condition.LastTransitionTime.Time
			}
		}
	}
	return since
}

// serviceWaits says what the login service waits for, or nil when it is
// calibrated. That it answers, too, the generator waits for while it starts
// itself: one after the other, each trial would take two seconds longer.
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
				return refusal(condition.Message)
			}
		}
		return wait(v1alpha1.ReasonDeploying, "Waiting for the login service's pods to be created")
	}
	return podsSettled(o)
}

// podsSettled says what pods without trouble still have to do.
func podsSettled(o *Observation) *Decision {
	c := o.Children
	if len(c.ServicePods) > int(o.Trial.Spec.Service.Replicas) {
		return wait(v1alpha1.ReasonDeploying, "Waiting for a replaced pod of the login service to end")
	}
	for i := range c.ServicePods {
		pod := &c.ServicePods[i]
		switch {
		case pod.DeletionTimestamp != nil:
			return wait(v1alpha1.ReasonDeploying, "Waiting for pod "+pod.Name+" to end")
		case !initialized(pod):
			return wait(v1alpha1.ReasonCalibrating, "Measuring how long a hash takes")
		case pod.Status.PodIP == "":
			return wait(v1alpha1.ReasonDeploying, "Waiting for pod "+pod.Name+" to get its address")
		}
	}
	return nil
}

// breakage says what has made the attempt's numbers worthless, or nil.
func breakage(o *Observation) *Decision {
	attempt, c := o.attempt(), o.Children
	switch {
	case c.Foreign != "":
		return broken(v1alpha1.ReasonNameTaken,
			"%s exists and belongs to someone else; it was left alone. Delete or rename it", c.Foreign)
	case loadEnd(c).IsZero() && o.Now.After(Deadline(o.Trial, attempt, o.StartTimeout)):
		return broken(v1alpha1.ReasonDeadlineExceeded, "The attempt took longer than the whole of its plan allows")
	}
	if gone := childGone(attempt, c); gone != nil {
		return gone
	}
	return servicePodsBroken(o)
}

// childGone looks for children that the attempt began with and that are not
// there any more.
func childGone(attempt *v1alpha1.Attempt, c Children) *Decision {
	switch {
	case attempt.ServiceUID != "" && c.Deployment == nil:
		return broken(v1alpha1.ReasonServiceDeleted, "The login service's Deployment was deleted")
	case attempt.ServiceUID != "" && c.Deployment.UID != attempt.ServiceUID:
		return broken(v1alpha1.ReasonServiceReplaced, "The login service's Deployment was replaced")
	case attempt.LoadStartTime != nil && c.Service == nil:
		return broken(v1alpha1.ReasonServiceDeleted, "The login service's Service was deleted")
	case attempt.JobUID != "" && (c.Job == nil || c.Job.UID != attempt.JobUID):
		return broken(v1alpha1.ReasonJobDeleted, "The k6 Job was deleted or replaced before its result was read")
	}
	return nil
}

// servicePodsBroken looks for pods of the service that failed, or that are not
// those that the load began with.
func servicePodsBroken(o *Observation) *Decision {
	attempt, c := o.attempt(), o.Children
	var seen []types.UID
	for i := range c.ServicePods {
		pod := &c.ServicePods[i]
		if reason, message := podFailed(pod, loadEnd(c)); reason != "" {
			return broken(reason, "%s", message)
		}
		if pod.DeletionTimestamp == nil {
			seen = append(seen, pod.UID)
		}
	}
	for _, uid := range attempt.ServicePodUIDs {
		if !slices.Contains(seen, uid) {
			return broken(v1alpha1.ReasonServiceReplaced,
				"A pod of the login service was deleted or replaced while it was measured")
		}
	}
	return nil
}

func broken(reason, format string, args ...any) *Decision {
	return &Decision{Action: Break, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func wait(reason, message string) *Decision {
	return &Decision{Action: Wait, Reason: reason, Message: message, After: look}
}
