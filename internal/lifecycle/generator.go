package lifecycle

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// underLoad follows the k6 Job until its result can be read.
func underLoad(o *Observation) Decision {
	attempt, c := o.attempt(), o.Children
	if attempt.JobUID == "" {
		// The Job was created and the operator ended before it wrote that down.
		return Decision{Action: Load, Reason: v1alpha1.ReasonUnderLoad, Message: "Driving the login service with k6"}
	}
	for i := range c.GeneratorPods {
		pod := &c.GeneratorPods[i]
		if ended := generatorEnd(pod); ended != nil {
			return afterLoad(pod, ended)
		}
	}
	if over := jobOver(c.Job); over != nil {
		return *over
	}
	return generatorWaits(o)
}

// afterLoad tells a result that can be read from one that can't.
func afterLoad(pod *corev1.Pod, ended *corev1.ContainerStateTerminated) Decision {
	switch {
	case ended.Reason == "OOMKilled":
		return *broken(v1alpha1.ReasonGeneratorOOMKilled,
			"The generator ran out of memory; raise spec.generator.memoryLimit, or offer less load")
	case pod.Status.Reason == "Evicted":
		return *broken(v1alpha1.ReasonGeneratorEvicted, "The generator was evicted: %s", pod.Status.Message)
	case pod.Status.Reason == "DeadlineExceeded":
		return *broken(v1alpha1.ReasonDeadlineExceeded, "The load took longer than its plan allows")
	default:
		return Decision{Action: Harvest, Reason: v1alpha1.ReasonMeasured}
	}
}

// jobOver says how a Job ended that has no pod to read a result from, or nil
// while it goes on.
func jobOver(job *batchv1.Job) *Decision {
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch {
		case condition.Type == batchv1.JobFailed && condition.Reason == batchv1.JobReasonDeadlineExceeded:
			return broken(v1alpha1.ReasonDeadlineExceeded, "The load took longer than its plan allows")
		case condition.Type == batchv1.JobFailed, condition.Type == batchv1.JobComplete:
			return broken(v1alpha1.ReasonSummaryLost,
				"The generator's pod was gone before its result could be read")
		}
	}
	return nil
}

// generatorWaits says what a Job without an end is about.
func generatorWaits(o *Observation) Decision {
	attempt, c := o.attempt(), o.Children
	since := attempt.StartTime.Time
	if attempt.LoadStartTime != nil {
		since = attempt.LoadStartTime.Time
	}
	for i := range c.GeneratorPods {
		if w := podWaits(&c.GeneratorPods[i]); w != nil {
			return patience(o, *w, since)
		}
		if c.GeneratorPods[i].Status.Phase == corev1.PodRunning {
			return *wait(v1alpha1.ReasonUnderLoad, "Driving the login service with k6")
		}
	}
	if len(c.GeneratorPods) == 0 && c.JobRefusal != "" {
		return patience(o, *refusal(c.JobRefusal), since)
	}
	return patience(o, *wait(v1alpha1.ReasonDeploying, "Waiting for the generator to start"), since)
}

// generatorEnd is how the generator's container ended, or nil while it runs.
// A pod that failed without a container's word, as an evicted one, counts as ended.
func generatorEnd(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	for _, container := range pod.Status.ContainerStatuses {
		if container.Name == objects.GeneratorContainer && container.State.Terminated != nil {
			return container.State.Terminated
		}
	}
	if pod.Status.Phase == corev1.PodFailed {
		return &corev1.ContainerStateTerminated{Message: fmt.Sprintf("%s: %s", pod.Status.Reason, pod.Status.Message)}
	}
	return nil
}

// loadEnd is when the generator's container ended, zero while it has not. From
// then on its result lies in the pod's status, and can be read however late.
func loadEnd(c Children) time.Time {
	for i := range c.GeneratorPods {
		if ended := generatorEnd(&c.GeneratorPods[i]); ended != nil {
			return ended.FinishedAt.Time
		}
	}
	return time.Time{}
}
