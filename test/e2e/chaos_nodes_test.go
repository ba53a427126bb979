//go:build e2e && chaos

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// The nodes of the local cluster: the service runs on the first, the generator on the second.
const (
	serviceNode   = "node-1"
	generatorNode = "node-2"
)

func memoryFilled(component, container, reason string) func(*testing.T, *chaos) {
	return func(t *testing.T, c *chaos) {
		startOperator(t)
		e := c.experiment(t, "memory-"+component, longer(10))
		underLoad(t, e)
		fillMemory(t, &podsOf(t, e, component)[0], container)
		c.holds(t, e, 3*time.Minute, reason)
		if first := theTrial(t, e).Status.Attempts[0]; first.Reason != reason {
			t.Errorf("the first attempt ended as %s (%s), want %s", first.Outcome, first.Reason, reason)
		}
	}
}

// A pod that runs on a node keeps running while it is cordoned, and the next one waits.
func nodeCordoned(node, component string) func(*testing.T, *chaos) {
	return func(t *testing.T, c *chaos) {
		startOperator(t)
		e := c.experiment(t, "cordoned-"+component, costs(4, 6), inOrder)
		underLoad(t, e)
		cordon(t, node)
		until(t, 2*time.Minute, "the second trial to have a "+component, func() (bool, string) {
			trials := trialsOf(t, e)
			for _, pod := range podsOf(t, e, component) {
				if len(trials) == 2 && pod.Labels[v1beta1.LabelTrialUID] == string(trials[1].UID) {
					return true, ""
				}
			}
			return false, standing(t, e)
		})
		kubectl(t, "uncordon", node)
		c.holds(t, e, 3*time.Minute, v1beta1.ReasonUnschedulable)
	}
}

// Draining evicts the experiment's pods, which spoils the attempt. The next one waits until the
// node takes pods again.
func nodeDrained(node, component string) func(*testing.T, *chaos) {
	return func(t *testing.T, c *chaos) {
		startOperator(t)
		e := c.experiment(t, "drained-"+component, longer(10))
		underLoad(t, e)
		cordon(t, node)
		kubectl(t, "drain", node, "--force", "--ignore-daemonsets", "--delete-emptydir-data",
			"--pod-selector="+v1beta1.LabelExperimentUID+"="+string(e.UID))
		until(t, time.Minute, "the attempt to end", func() (bool, string) {
			attempts := theTrial(t, e).Status.Attempts
			return attempts[0].EndTime != nil, standing(t, e)
		})
		kubectl(t, "uncordon", node)
		c.holds(t, e, 3*time.Minute, v1beta1.ReasonServiceEvicted, v1beta1.ReasonServiceReplaced, v1beta1.ReasonServiceFailed,
			v1beta1.ReasonGeneratorEvicted, v1beta1.ReasonGeneratorKilled, v1beta1.ReasonSummaryLost)
	}
}

// All processes of a node are killed, including its pods, and kubelet does not report that. The
// experiment must end, whether the Node stays or is deleted once it is not ready, as the
// controller of a cloud does. At the end a new node registers itself.
func nodeStopped(node, component string, stays bool) func(*testing.T, *chaos) {
	return func(t *testing.T, c *chaos) {
		startOperator(t, "trials: {startTimeout: 15s}")
		e := c.experiment(t, "stopped-"+component, longer(10))
		generator := underLoad(t, e)
		crash(t, "crash-node", strings.TrimPrefix(node, "node-"))
		begun := time.Now()
		if generator.Spec.NodeName == node {
			c.watched.gone(generator.UID)
		}
		kubectl(t, "wait", "--for=condition=Ready=Unknown", "--timeout=3m", "node/"+node)
		if stays {
			finished(t, e, 5*time.Minute)
		}
		kubectl(t, "delete", "node", node)
		finished(t, e, 5*time.Minute)
		t.Logf("the experiment ended %s after the node: %s", time.Since(begun).Round(time.Second), standing(t, e))
		until(t, 3*time.Minute, "the node's pods to go", func() (bool, string) {
			pods := podsOn(t, node)
			return len(pods) == 0, fmt.Sprint(pods)
		})
		clusterScript(t, "up")
		c.holds(t, e, time.Minute, v1beta1.ReasonDeadlineExceeded, v1beta1.ReasonUnschedulable, handover.ServiceUnreachable,
			v1beta1.ReasonServiceReplaced, v1beta1.ReasonServiceEvicted, v1beta1.ReasonGeneratorKilled, v1beta1.ReasonGeneratorEvicted,
			v1beta1.ReasonSummaryLost, v1beta1.ReasonDeploying) // the last if kubelet had not reported that the generator runs
	}
}

// podsOn returns the names of the pods that are bound to a node.
func podsOn(t *testing.T, node string) []string {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, cluster.List(t.Context(), pods))
	var names []string
	for _, pod := range pods.Items {
		if pod.Spec.NodeName == node {
			names = append(names, pod.Name)
		}
	}
	return names
}
