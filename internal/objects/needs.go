package objects

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Needs is what one attempt of a trial requests at the same time, which is also its limit.
type Needs struct {
	// Pods of the login service, the load generator and companions.
	Pods        int64
	CPU, Memory resource.Quantity
}

// String returns it as a clause, such as "2 pods with 1 CPU and 640Mi of memory".
func (n Needs) String() string {
	return fmt.Sprintf("%s with %s CPU and %s of memory", units.Count(n.Pods, "pod"), n.CPU.String(), n.Memory.String())
}

// NeedsOf returns what an attempt of a trial needs. It fails if a limit is not a quantity.
func (s Settings) NeedsOf(spec v1beta1.SizingTrialSpec) (Needs, error) {
	service, generator, companions, err := s.resources(spec)
	if err != nil {
		return Needs{}, err
	}
	if spec.Service.Own != nil {
		addMemory(&service, scriptMemory) // a pod requests what its largest init container does
	}
	var n Needs
	for range spec.Service.Replicas {
		n.add(service)
	}
	if spec.Role != v1beta1.RoleCalibration {
		n.add(generator)
	}
	for _, companion := range companions {
		n.add(companion)
	}
	return n, nil
}

func (n *Needs) add(pod corev1.ResourceRequirements) {
	n.Pods++
	n.CPU.Add(*pod.Limits.Cpu())
	n.Memory.Add(*pod.Limits.Memory())
}

// resources returns what the pods of a trial request.
func (s Settings) resources(spec v1beta1.SizingTrialSpec) (service, generator corev1.ResourceRequirements, companions []corev1.ResourceRequirements, err error) {
	service, err = guaranteed("the variant's cpuLimit", spec.Variant.CPULimit, "service.memoryLimit", units.Written(spec.Service.MemoryLimit))
	if err != nil {
		return service, generator, nil, err
	}
	generator, err = guaranteed(
		"the generator's CPU limit", cmp.Or(units.Written(spec.Generator.CPULimit), s.GeneratorCPULimit),
		"the generator's memory limit", s.GeneratorMemoryLimit)
	if err != nil {
		return service, generator, nil, err
	}
	companions, err = companionResources(spec)
	return service, generator, companions, err
}
