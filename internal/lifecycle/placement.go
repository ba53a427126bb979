package lifecycle

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// placement returns where the pods ran, and how they differ from their templates: a webhook
// may have added a container or changed an image or a limit. Pods are compared with the
// templates and not with the operator's flags, which may have changed since the attempt began.
func placement(o *Observation) verdict.Placement {
	c, where := o.Children, verdict.Placement{}
	for i := range c.ServicePods {
		pod := &c.ServicePods[i]
		where.ServiceNodes = append(where.ServiceNodes, pod.Spec.NodeName)
		where.Altered = append(where.Altered, altered(pod, c.Deployment.Spec.Template.Spec)...)
	}
	for i := range c.GeneratorPods {
		pod := &c.GeneratorPods[i]
		where.GeneratorNode = pod.Spec.NodeName
		where.Altered = append(where.Altered, altered(pod, c.Job.Spec.Template.Spec)...)
	}
	slices.Sort(where.Altered)
	where.Altered = slices.Compact(where.Altered)
	return where
}

// altered lists how a pod's containers differ from those of its template.
func altered(pod *corev1.Pod, template corev1.PodSpec) []string {
	planned, given := inOrder(template), inOrder(pod.Spec)
	if len(planned) != len(given) {
		return []string{fmt.Sprintf("a pod has %d containers instead of %d", len(given), len(planned))}
	}
	var differences []string
	for i := range planned {
		if given[i].Image != planned[i].Image {
			differences = append(differences, fmt.Sprintf("container %s runs image %s instead of %s", given[i].Name, given[i].Image, planned[i].Image))
		}
		if limit, want := given[i].Resources.Limits.Cpu(), planned[i].Resources.Limits.Cpu(); limit.Cmp(*want) != 0 {
			differences = append(differences, fmt.Sprintf("container %s has a CPU limit of %s instead of %s", given[i].Name, limit, want))
		}
	}
	return differences
}

func inOrder(spec corev1.PodSpec) []corev1.Container {
	return append(slices.Clone(spec.InitContainers), spec.Containers...)
}
