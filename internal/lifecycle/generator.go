package lifecycle

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// underLoad follows the k6 Job until its result can be read.
func underLoad(o *Observation) Decision {
	attempt, c := o.attempt(), o.Children
	if attempt.JobUID == "" {
		// The Job was created, but the operator ended before it recorded that.
		return Decision{Action: Load, Reason: v1beta1.ReasonUnderLoad, Message: loading}
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

// afterLoad decides whether the result of a generator that ended can be read.
func afterLoad(pod *corev1.Pod, ended *corev1.ContainerStateTerminated) Decision {
	switch {
	case ended.Reason == "OOMKilled":
		return *broken(v1beta1.ReasonGeneratorOOMKilled,
			"The load generator ran out of memory; raise the operator's generator.memoryLimit, or reduce the load")
	case pod.Status.Reason == "Evicted":
		return *broken(v1beta1.ReasonGeneratorEvicted, "The load generator's pod was evicted: %s", pod.Status.Message)
	case disrupted(pod) && ended.FinishedAt.IsZero():
		return *broken(v1beta1.ReasonGeneratorEvicted, "The load generator's pod was removed before it ended; its node may be gone")
	case pod.Status.Reason == "DeadlineExceeded":
		return *broken(v1beta1.ReasonDeadlineExceeded, "The load took longer than its plan allows")
	default:
		return Decision{Action: Harvest, Reason: v1beta1.ReasonCleaningUp, Message: deleting}
	}
}

// jobOver returns how a Job ended whose pod, with the result, is gone. It returns nil while
// the Job runs.
func jobOver(job *batchv1.Job) *Decision {
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch {
		case condition.Type == batchv1.JobFailed && condition.Reason == batchv1.JobReasonDeadlineExceeded:
			return broken(v1beta1.ReasonDeadlineExceeded, "The load took longer than its plan allows")
		case condition.Type == batchv1.JobFailed, condition.Type == batchv1.JobComplete:
			return broken(v1beta1.ReasonSummaryLost,
				"The load generator's pod was deleted before its result was read")
		}
	}
	return nil
}

// generatorWaits returns what a Job that has not ended is waiting for.
func generatorWaits(o *Observation) Decision {
	attempt, c := o.attempt(), o.Children
	since := attempt.StartTime.Time
	if attempt.LoadStartTime != nil {
		since = attempt.LoadStartTime.Time
	}
	for i := range c.GeneratorPods {
		if w := podWaits(&c.GeneratorPods[i]); w != nil {
			return waitOrBreak(o, *w, since)
		}
		if c.GeneratorPods[i].Status.Phase == corev1.PodRunning {
			return *wait(v1beta1.ReasonUnderLoad, loading)
		}
	}
	switch {
	case len(c.GeneratorPods) == 0 && c.JobRefusal != "":
		return waitOrBreak(o, *o.refusal("the load generator's pod", c.JobRefusal), since)
	case ptr.Deref(c.Job.Spec.Suspend, false):
		return waitOrBreak(o, *wait(v1beta1.ReasonJobSuspended,
			"Something in the cluster, such as Kueue, suspends Job "+c.Job.Name+"; wait until it is resumed, exempt the namespace there, or ask an administrator to name the queue with trialPods.labels (kueue.x-k8s.io/queue-name)"), since)
	case o.Now.Sub(since) < queue.Patience:
		return *wait(v1beta1.ReasonUnderLoad, loading) // as shown since the Job was created
	}
	why := ""
	for i := range c.GeneratorPods {
		why = startingAs(&c.GeneratorPods[i])
	}
	return waitOrBreak(o, *wait(v1beta1.ReasonDeploying, "The load generator's pod has not started"+why), since)
}

// generatorEnd returns how the generator's container ended, or nil while it runs. A pod that
// failed without a container status, such as an evicted one, counts as ended.
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

// loadEnd returns when the generator's container ended, or zero while it runs. From then on
// its result is in the pod's status and can be read at any later time.
func loadEnd(c Children) time.Time {
	for i := range c.GeneratorPods {
		if ended := generatorEnd(&c.GeneratorPods[i]); ended != nil {
			return ended.FinishedAt.Time
		}
	}
	return time.Time{}
}
