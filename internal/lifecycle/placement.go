package lifecycle

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Images are what the containers of a trial were to run.
type Images struct{ Service, Generator string }

// placement says where the pods ran, and in which ways they differ from what
// was planned: a webhook may have added a container, another image or another
// limit on their way.
func placement(o *Observation) verdict.Placement {
	where := verdict.Placement{}
	for i := range o.Children.ServicePods {
		pod := &o.Children.ServicePods[i]
		where.ServiceNodes = append(where.ServiceNodes, pod.Spec.NodeName)
		for _, container := range pod.Status.ContainerStatuses {
			where.Restarts += container.RestartCount
		}
		where.Altered = append(where.Altered, altered(pod, o.Images.Service, o.Trial.Spec.Variant.CPULimit)...)
	}
	for i := range o.Children.GeneratorPods {
		pod := &o.Children.GeneratorPods[i]
		where.GeneratorNode = pod.Spec.NodeName
		where.Altered = append(where.Altered, altered(pod, o.Images.Generator, "")...)
	}
	slices.Sort(where.Altered)
	where.Altered = slices.Compact(where.Altered)
	return where
}

// altered lists the differences of a pod from its plan; without a CPU limit
// given, limits are not looked at.
func altered(pod *corev1.Pod, image, cpuLimit string) []string {
	var found []string
	if n := len(pod.Spec.Containers); n != 1 {
		found = append(found, fmt.Sprintf("a pod has %d containers instead of 1", n))
	}
	for _, container := range append(slices.Clone(pod.Spec.InitContainers), pod.Spec.Containers...) {
		if container.Image != image {
			found = append(found, fmt.Sprintf("container %s runs image %s", container.Name, container.Image))
		}
		if cpuLimit == "" {
			continue
		}
		planned, err := resource.ParseQuantity(cpuLimit)
		if given := container.Resources.Limits.Cpu(); err == nil && given.Cmp(planned) != 0 {
			found = append(found, fmt.Sprintf("container %s has a CPU limit of %s", container.Name, given))
		}
	}
	return found
}
