//go:build upgrade

package upgrade

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// step is what the kubelet does with a pod.
type step string

const (
	schedules  step = "schedules a pod"
	calibrates step = "ends a calibration"
	ends       step = "ends a load"
	removes    step = "removes a pod"
)

// look is how often the kubelet looks at the pods.
const look = 50 * time.Millisecond

// kubelet simulates the scheduler and kubelet for all pods of trials. Every step is done at once,
// unless its trial's gate is before it.
type kubelet struct {
	client client.Client
	failed chan error

	mutex sync.Mutex
	// gates are the steps that are not done, by trial. Nothing is done for other trials.
	gates map[types.UID]step
	// runs are the results of the generators, by Job.
	runs      map[types.UID]measurement.Run
	addresses int
}

func newKubelet(c client.Client) *kubelet {
	return &kubelet{client: c, failed: make(chan error, 1), gates: map[types.UID]step{}, runs: map[types.UID]measurement.Run{}}
}

// play simulates until it is stopped, or fails.
func (k *kubelet) play(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		err := wait.PollUntilContextCancel(ctx, look, true, func(ctx context.Context) (bool, error) { return false, k.pass(ctx) })
		if ctx.Err() == nil {
			k.failed <- fmt.Errorf("the simulated kubelet: %w", err)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// gate keeps the kubelet from a step of a trial's pods; without a step it lets it do all.
func (k *kubelet) gate(trial types.UID, before step) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.gates[trial] = before
}

func (k *kubelet) run(job types.UID) measurement.Run {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.runs[job]
}

// pass takes the next step of each pod.
func (k *kubelet) pass(ctx context.Context) error {
	pods := &corev1.PodList{}
	if err := k.client.List(ctx, pods, client.HasLabels{v1beta1.LabelTrialUID}); err != nil {
		return err
	}
	for i := range pods.Items {
		before := pods.Items[i].DeepCopy()
		if err := k.step(ctx, before, &pods.Items[i], pods.Items); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

func (k *kubelet) shut(pod *corev1.Pod, what step) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	gate, known := k.gates[types.UID(pod.Labels[v1beta1.LabelTrialUID])]
	return !known || gate == what
}

func (k *kubelet) step(ctx context.Context, before, pod *corev1.Pod, all []corev1.Pod) error {
	generator := pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator
	switch {
	case pod.DeletionTimestamp != nil:
		if k.shut(pod, removes) {
			return nil
		}
		return k.client.Delete(ctx, pod, client.GracePeriodSeconds(0))
	case pod.Spec.NodeName == "":
		if k.shut(pod, schedules) {
			return nil
		}
		node := map[bool]string{false: simulated.ServiceNode, true: simulated.LoadNode}[generator]
		return k.client.SubResource("binding").Create(ctx, pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}})
	case generator:
		return k.load(ctx, before, pod, all)
	}
	return k.login(ctx, before, pod)
}

func (k *kubelet) login(ctx context.Context, before, pod *corev1.Pod) error {
	switch status := &pod.Status; {
	case status.PodIP == "":
		k.addresses++
		simulated.Calibrate(pod, fmt.Sprintf("10.0.%d.%d", k.addresses/250, k.addresses%250+1), metav1.Now())
	case !simulated.Holds(status, corev1.PodInitialized):
		machine, err := simulated.MachineOf(pod)
		if err != nil || k.shut(pod, calibrates) {
			return err
		}
		simulated.EndCalibration(pod, simulated.Ended(status.InitContainerStatuses, machine.Calibration(), metav1.Now()))
	case !simulated.Holds(status, corev1.PodReady):
		simulated.Serve(pod, metav1.Now())
	default:
		return nil
	}
	return k.client.Status().Patch(ctx, pod, client.MergeFrom(before))
}

func (k *kubelet) load(ctx context.Context, before, pod *corev1.Pod, all []corev1.Pod) error {
	switch {
	case pod.Status.Phase == corev1.PodPending:
		for _, other := range all {
			if other.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator && other.Status.Phase == corev1.PodRunning {
				return fmt.Errorf("%s would load while %s does", pod.Name, other.Name)
			}
		}
		simulated.StartLoad(pod, metav1.Now())
	case pod.Status.Phase == corev1.PodRunning && !k.shut(pod, ends):
		message, err := k.drive(pod, all)
		if err != nil {
			return err
		}
		simulated.EndLoad(pod, simulated.Ended(pod.Status.ContainerStatuses, message, metav1.Now()))
	default:
		return nil
	}
	return k.client.Status().Patch(ctx, pod, client.MergeFrom(before))
}

// mixed returns an error if a generator of the newer version loads a login service of the base. An
// earlier operator may do the opposite.
func mixed(login, generator *corev1.Pod) error {
	if runs(generator, newer) && !runs(login, newer) {
		return fmt.Errorf("%s loads %s, of another version", generator.Name, login.Name)
	}
	return nil
}

// runs reports whether a pod runs the programs of a version.
func runs(pod *corev1.Pod, v version) bool {
	return strings.HasSuffix(pod.Spec.Containers[0].Image, ":"+string(v))
}

// drive returns the termination message of a generator.
func (k *kubelet) drive(generator *corev1.Pod, all []corev1.Pod) (string, error) {
	plan, err := simulated.PlanOf(generator)
	if err != nil {
		return "", err
	}
	for i := range all {
		pod := &all[i]
		if pod.Labels[v1beta1.LabelComponent] != v1beta1.ComponentService || pod.Labels[v1beta1.LabelTrialUID] != generator.Labels[v1beta1.LabelTrialUID] {
			continue
		}
		machine, err := simulated.MachineOf(pod)
		if err = errors.Join(err, mixed(pod, generator)); err != nil {
			return "", err
		}
		machine.Replicas, machine.GeneratorCPUs = 1, simulated.UsualGeneratorCPUs
		run := machine.Run(plan)
		k.mutex.Lock()
		k.runs[metav1.GetControllerOf(generator).UID] = run
		k.mutex.Unlock()
		return measurement.Encode(run)
	}
	return "", fmt.Errorf("%s runs without a login service", generator.Name)
}
