//go:build integration

package controllers_test

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// pod moves a pod one step further if that is due.
func (k *kubelet) pod(pod *corev1.Pod) bool {
	k.cluster.checkPodConfined(pod)
	mishap := k.mishapOf(pod)
	switch {
	case k.lost[pod.Spec.NodeName]:
		return false
	case pod.DeletionTimestamp != nil:
		return k.after(grace, pod, "gone") && k.once(pod, "removed") && k.endPod(pod)
	case mishap.stuck != nil:
		return k.stick(pod, mishap.stuck)
	case pod.Spec.NodeName == "":
		return false // not scheduled
	case pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentService:
		return k.loginPod(pod)
	case pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator:
		return k.generatorPod(pod)
	case pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentCompanion:
		return k.companionPod(pod)
	}
	return false
}

// companionPod gets an address, and is ready.
func (k *kubelet) companionPod(pod *corev1.Pod) bool {
	if pod.Status.PodIP != "" || !k.after(starting, pod, "ready") {
		return false
	}
	k.addresses++
	simulated.Accompany(pod, fmt.Sprintf("10.0.%d.%d", k.addresses/250, k.addresses%250+1), *k.moment())
	return k.report(pod, "is ready")
}

func (k *kubelet) endPod(pod *corev1.Pod) bool {
	err := k.cluster.client.Delete(k.cluster.ctx, pod, client.GracePeriodSeconds(0))
	k.cluster.must("ending a pod", client.IgnoreNotFound(err))
	k.logPod(pod, "is gone")
	if slices.ContainsFunc(pod.Finalizers, func(f string) bool { return f != batchv1.JobTrackingFinalizer }) {
		return true // it stays until somebody else removes the finalizer
	}
	// The real Job controller first removes its finalizer.
	return k.await("a pod is gone", func() bool { return !k.cluster.get(pod) })
}

// loginPod calibrates, then serves.
func (k *kubelet) loginPod(pod *corev1.Pod) bool {
	status := &pod.Status
	switch {
	case status.PodIP == "":
		k.addresses++
		simulated.Calibrate(pod, fmt.Sprintf("10.0.%d.%d", k.addresses/250, k.addresses%250+1), *k.moment())
		return k.report(pod, "calibrates")
	case !simulated.Holds(status, corev1.PodInitialized):
		return k.after(calibrating, pod, "calibrated") && k.calibrated(pod)
	case !simulated.Holds(status, corev1.PodReady):
		if !k.after(starting, pod, "ready") {
			return false
		}
		simulated.Serve(pod, *k.moment())
		return k.report(pod, "is ready")
	}
	return false
}

func (k *kubelet) calibrated(pod *corev1.Pod) bool {
	ended := simulated.Ended(pod.Status.InitContainerStatuses, k.machineOf(pod).Calibration(), *k.moment())
	if change := k.mishapOf(pod).calibration; change != nil {
		change(&ended)
	}
	simulated.EndCalibration(pod, ended)
	if ended.ExitCode != 0 {
		return k.report(pod, "fails to calibrate")
	}
	return k.report(pod, "is calibrated")
}

// generatorPod runs the load and leaves its result.
func (k *kubelet) generatorPod(pod *corev1.Pod) bool {
	plan := k.planOf(pod)
	switch status := &pod.Status; {
	case status.Phase == corev1.PodPending:
		if !k.after(startingK6, pod, "running") {
			return false
		}
		simulated.StartLoad(pod, *k.moment())
		k.cluster.checkOverlap()
		return k.report(pod, "runs the load")
	case status.Phase == corev1.PodRunning && !k.mishapOf(pod).hangs:
		return k.endLoad(pod, plan)
	}
	return false
}

func (k *kubelet) endLoad(pod *corev1.Pod, plan loadplan.Plan) bool {
	machine := k.machineUnderLoad(pod)
	machine.GeneratorCPUs = simulated.UsualGeneratorCPUs
	if needs := k.mishapOf(pod).generatorNeeds; needs > 0 {
		machine.GeneratorCPUs = needs
	}
	if plan.Objective != nil && plan.WithoutWarmup()[0].OfferedMilliPerSecond > k.failsAbove {
		machine.Slower = k.slower
	}
	run, known := k.runs[pod.UID]
	if !known {
		run = machine.Run(plan)
		for text := range strings.SplitSeq(simulated.Variable(pod.Spec.Containers[0], "HASHMARK_COMPANIONS"), ",") {
			if name, _, is := strings.Cut(text, "="); is {
				run.Companions = append(run.Companions, handover.CompanionUse{Name: name, CPUPerLoginMicroseconds: 3000, BusiestPerMille: 400})
			}
		}
		k.runs[pod.UID] = run
	}
	if !k.after(loadplan.Duration(plan.First(len(run.Steps))), pod, "ended") {
		return false
	}
	message, err := measurement.Encode(run)
	k.cluster.must("encoding a run", err)
	ended := simulated.Ended(pod.Status.ContainerStatuses, message, *k.moment())
	if change := k.mishapOf(pod).result; change != nil {
		change(&ended)
	}
	simulated.EndLoad(pod, ended)
	if ended.ExitCode == 0 {
		k.finished[pod.UID] = finishedRun{
			trial: types.UID(pod.Labels[v1beta1.LabelTrialUID]), job: metav1.GetControllerOf(pod).UID, run: run,
		}
	}
	return k.report(pod, fmt.Sprintf("ends with exit code %d", ended.ExitCode))
}

// report writes a pod's status.
func (k *kubelet) report(pod *corev1.Pod, what string) bool {
	err := k.cluster.client.Status().Update(k.cluster.ctx, pod)
	if controllerManager != "" && apierrors.IsConflict(err) {
		return true // the real controllers change pods too; it is reported in the next step
	}
	k.cluster.must("reporting a pod", err)
	k.logPod(pod, what)
	return true
}

// machineOf returns the machine that a login pod runs on.
func (k *kubelet) machineOf(pod *corev1.Pod) simulated.Machine {
	machine, err := simulated.MachineOf(pod)
	k.cluster.must("a login pod's machine", err)
	return machine
}

// machineUnderLoad returns the machine of the login pods of a generator's attempt. Only pods
// whose evidence the generator can read count: a pod that was replaced has another address.
func (k *kubelet) machineUnderLoad(generator *corev1.Pod) simulated.Machine {
	var result simulated.Machine
	addresses := strings.Split(simulated.Variable(generator.Spec.Containers[0], "HASHMARK_PODS"), ",")
	k.cluster.eachPod(v1beta1.ComponentService, func(pod *corev1.Pod) {
		if pod.Labels[v1beta1.LabelTrialUID] != generator.Labels[v1beta1.LabelTrialUID] || k.lost[pod.Spec.NodeName] {
			return
		}
		readable := result.Replicas
		if slices.Contains(addresses, "http://"+pod.Status.PodIP+":8080") {
			readable++
		}
		result = k.machineOf(pod)
		result.Replicas = readable
	})
	return result
}

// planOf returns the plan of a generator.
func (k *kubelet) planOf(pod *corev1.Pod) loadplan.Plan {
	plan, err := simulated.PlanOf(pod)
	k.cluster.must("a generator's plan", err)
	return plan
}
