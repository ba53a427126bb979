package lifecycle

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// LoadSpec returns the trial's spec with the generator's CPU limit filled in. The load is
// planned from this spec. The limit is read from the Job if one exists, because the operator's
// flags may have changed since it was created.
func (o *Observation) LoadSpec() v1alpha1.SizingTrialSpec {
	spec := *o.Trial.Spec.DeepCopy()
	if spec.Generator.CPULimit == "" {
		spec.Generator.CPULimit = o.GeneratorCPULimit
	}
	if o.Children.Job == nil {
		return spec
	}
	for _, container := range o.Children.Job.Spec.Template.Spec.Containers {
		if limit, has := container.Resources.Limits[corev1.ResourceCPU]; has && container.Name == objects.GeneratorContainer {
			spec.Generator.CPULimit = limit.String()
		}
	}
	return spec
}
