package lifecycle

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// LoadSpec is the trial's spec as its load is planned from: with the
// generator's CPU limit filled in. A Job that exists says which it was given;
// the operator's flags may have changed since.
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
