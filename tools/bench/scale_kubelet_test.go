//go:build bench

package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// How long each simulated load takes, whatever its plan says. While the operator is measured it is
// a fraction of a real load's time, and otherwise as short as possible.
const (
	shortLoad    = time.Second
	measuredLoad = 10 * time.Second
)

// kubelet simulates the scheduler and kubelet for all pods of trials. Every step but the load
// happens at once.
type kubelet struct {
	client client.WithWatch
	// slow is true while no calibration ends.
	slow atomic.Bool
	// measured is true while loads take measuredLoad.
	measured atomic.Bool
	// ends counts the loads that have ended.
	ends atomic.Int64
	// failed holds the first error.
	failed chan error
	// machines are the machines of the login pods, by trial.
	machines map[string]simulated.Machine
	// loads are the generator pods whose loads have begun.
	loads     map[types.UID]bool
	addresses int
	running   sync.WaitGroup
}

func newKubelet(c client.WithWatch) *kubelet {
	return &kubelet{client: c, machines: map[string]simulated.Machine{}, loads: map[types.UID]bool{}, failed: make(chan error, 1)}
}

// play simulates until it is stopped. Loads that have begun by then still end.
func (k *kubelet) play(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	k.running.Go(func() {
		for ctx.Err() == nil {
			k.check(ctx, k.follow(ctx)) // the API server ends every watch after some time
		}
	})
	return func() {
		cancel()
		k.running.Wait()
	}
}

// check keeps the first error, unless the simulation was stopped or the pod is gone.
func (k *kubelet) check(ctx context.Context, err error) {
	if client.IgnoreNotFound(err) == nil || ctx.Err() != nil {
		return
	}
	select {
	case k.failed <- fmt.Errorf("the simulated kubelet: %w", err):
	default: // the first error is enough
	}
}

// follow takes the next step of each pod that changes.
func (k *kubelet) follow(ctx context.Context) error {
	events, err := k.client.Watch(ctx, &corev1.PodList{}, client.HasLabels{v1beta1.LabelTrialUID})
	if err != nil {
		return err
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		pod, is := event.Object.(*corev1.Pod)
		if is && event.Type != "DELETED" {
			k.check(ctx, k.step(ctx, pod))
		}
	}
	return nil
}

// step takes a pod's next step. Its change is the event that calls for the one after it.
func (k *kubelet) step(ctx context.Context, pod *corev1.Pod) error {
	generator := pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator
	switch {
	case pod.DeletionTimestamp != nil:
		return k.client.Delete(ctx, pod, client.GracePeriodSeconds(0))
	case pod.Spec.NodeName == "":
		node := map[bool]string{false: simulated.ServiceNode, true: simulated.LoadNode}[generator]
		return k.client.SubResource("binding").Create(ctx, pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}})
	case generator:
		return k.load(ctx, pod)
	}
	return k.login(ctx, pod)
}

func (k *kubelet) login(ctx context.Context, pod *corev1.Pod) error {
	before := pod.DeepCopy()
	switch status := &pod.Status; {
	case status.PodIP == "":
		k.addresses++
		simulated.Calibrate(pod, fmt.Sprintf("10.%d.%d.%d", k.addresses/62_500, k.addresses/250%250, k.addresses%250+1), metav1.Now())
	case !simulated.Holds(status, corev1.PodInitialized) && k.slow.Load():
		return nil // until the next play
	case !simulated.Holds(status, corev1.PodInitialized):
		machine, err := simulated.MachineOf(pod)
		if err != nil {
			return err
		}
		machine.Replicas, machine.GeneratorCPUs = 1, simulated.UsualGeneratorCPUs
		k.machines[pod.Labels[v1beta1.LabelTrialUID]] = machine
		simulated.EndCalibration(pod, simulated.Ended(status.InitContainerStatuses, machine.Calibration(), metav1.Now()))
	case !simulated.Holds(status, corev1.PodReady):
		simulated.Serve(pod, metav1.Now())
	default:
		return nil
	}
	return k.client.Status().Patch(ctx, pod, client.MergeFrom(before))
}

func (k *kubelet) load(ctx context.Context, pod *corev1.Pod) error {
	switch {
	case pod.Status.Phase == corev1.PodPending:
		before := pod.DeepCopy()
		simulated.StartLoad(pod, metav1.Now())
		return k.client.Status().Patch(ctx, pod, client.MergeFrom(before))
	case pod.Status.Phase == corev1.PodRunning && !k.loads[pod.UID]:
		machine, known := k.machines[pod.Labels[v1beta1.LabelTrialUID]]
		if !known {
			return errors.New("generator pod " + pod.Name + " runs without a login pod that was calibrated")
		}
		k.loads[pod.UID] = true
		k.running.Go(func() { k.check(ctx, k.endLoad(context.WithoutCancel(ctx), pod, machine)) })
	}
	return nil
}

// endLoad ends a load once its time is over.
func (k *kubelet) endLoad(ctx context.Context, pod *corev1.Pod, machine simulated.Machine) error {
	over := time.After(map[bool]time.Duration{false: shortLoad, true: measuredLoad}[k.measured.Load()])
	plan, err := simulated.PlanOf(pod)
	if err != nil {
		return err
	}
	message, err := measurement.Encode(machine.Run(plan))
	if err != nil {
		return err
	}
	<-over
	before := pod.DeepCopy()
	simulated.EndLoad(pod, simulated.Ended(pod.Status.ContainerStatuses, message, metav1.Now()))
	k.ends.Add(1)
	return k.client.Status().Patch(ctx, pod, client.MergeFrom(before))
}
