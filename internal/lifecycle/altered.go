package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/units"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// placement returns where the pods ran, and how they differ from the planned ones: a webhook may
// have changed them, or somebody the Deployment. Without a plan, because the operator's settings
// have changed since the attempt began, they are compared with the templates in the cluster.
func placement(o *Observation) verdict.Placement {
	c, where := o.Children, verdict.Placement{Altered: alteredService(o)}
	for i := range c.ServicePods {
		pod := &c.ServicePods[i]
		if !slices.Contains(o.attempt().ServicePodUIDs, pod.UID) {
			continue // it was added after the load, and the API limits the number of nodes
		}
		where.ServiceNodes = append(where.ServiceNodes, pod.Spec.NodeName)
	}
	for i := range c.GeneratorPods {
		pod := &c.GeneratorPods[i]
		where.GeneratorNode = pod.Spec.NodeName
		where.Altered = append(where.Altered, altered(pod, ptr.Deref(o.Planned.Generator, c.Job.Spec.Template.Spec), o.ImageMirrors)...)
	}
	slices.Sort(where.Altered)
	where.Altered = slices.Compact(where.Altered)
	return where
}

func alteredService(o *Observation) []string {
	var differences []string
	for i := range o.Children.ServicePods {
		planned := ptr.Deref(o.Planned.Service, o.Children.Deployment.Spec.Template.Spec)
		differences = append(differences, altered(&o.Children.ServicePods[i], planned, o.ImageMirrors)...)
	}
	for i := range o.Children.CompanionPods {
		pod := &o.Children.CompanionPods[i]
		name := pod.Labels[v1beta1.LabelCompanion]
		planned := o.Planned.Companions[name]
		for j := range o.Children.Companions {
			if deployment := &o.Children.Companions[j]; planned == nil && deployment.Labels[v1beta1.LabelCompanion] == name {
				planned = &deployment.Spec.Template.Spec
			}
		}
		if planned != nil {
			differences = append(differences, altered(pod, *planned, o.ImageMirrors)...)
		}
	}
	slices.Sort(differences)
	return slices.Compact(differences)
}

// altered lists how a pod differs from the planned one. It compares what can affect the numbers,
// and of that only what the API server does not fill in by itself.
func altered(pod *corev1.Pod, template corev1.PodSpec, mirrors []objects.ImageMirror) []string {
	planned, given := inOrder(template), inOrder(pod.Spec)
	var differences []string
	if !equality.Semantic.DeepEqual(template.Resources, pod.Spec.Resources) {
		differences = append(differences, "a pod has resources of its own, for all its containers together")
	}
	if hostNamespaces(template) != hostNamespaces(pod.Spec) {
		differences = append(differences, "a pod has other namespaces of its host")
	}
	for _, volume := range template.Volumes {
		if !slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return sameVolume(volume, v) }) {
			differences = append(differences, "a pod has another volume "+volume.Name)
		}
	}
	for _, container := range given {
		if named(planned, container.Name) == nil {
			differences = append(differences, "a pod has the additional container "+container.Name)
		}
	}
	for _, container := range planned {
		if found := named(given, container.Name); found != nil {
			differences = append(differences, alteredContainer(container, *found, mirrors)...)
		} else {
			differences = append(differences, "a pod does not have the container "+container.Name)
		}
	}
	return differences
}

// named returns the container with a name, or nil.
func named(containers []corev1.Container, name string) *corev1.Container {
	if i := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == name }); i >= 0 {
		return &containers[i]
	}
	return nil
}

func alteredContainer(planned, given corev1.Container, mirrors []objects.ImageMirror) []string {
	var differences []string
	if !objects.SameImage(planned.Image, given.Image, mirrors) {
		differences = append(differences, fmt.Sprintf("container %s runs image %s instead of %s", given.Name, given.Image, planned.Image))
	}
	if limit, want := given.Resources.Limits.Cpu(), planned.Resources.Limits.Cpu(); limit.Cmp(*want) != 0 {
		differences = append(differences, fmt.Sprintf("container %s has a CPU limit of %s instead of %s", given.Name, limit, want))
	}
	if limit, want := given.Resources.Limits.Memory(), planned.Resources.Limits.Memory(); limit.Cmp(*want) != 0 {
		differences = append(differences, fmt.Sprintf("container %s has a memory limit of %s instead of %s", given.Name, limit, want))
	}
	for _, part := range []struct {
		name           string
		planned, given any
	}{
		{"command", [][]string{planned.Command, planned.Args}, [][]string{given.Command, given.Args}},
		{"environment" + changedVariables(planned.Env, given.Env), environment(planned), environment(given)},
		{"set of mounts", planned.VolumeMounts, given.VolumeMounts},
		{"security context", privileges(planned), privileges(given)},
		{"probe or hook", hooks(planned), hooks(given)},
	} {
		if !equality.Semantic.DeepEqual(part.planned, part.given) {
			differences = append(differences, fmt.Sprintf("container %s has another %s", given.Name, part.name))
		}
	}
	return differences
}

// changedVariables names the variables that were added, changed or removed.
func changedVariables(planned, given []corev1.EnvVar) string {
	names := map[string]bool{}
	for _, list := range [][2][]corev1.EnvVar{{planned, given}, {given, planned}} {
		for _, v := range list[0] {
			same := func(other corev1.EnvVar) bool { return equality.Semantic.DeepEqual(v, other) }
			if v.Name != envvar.Deadline && !slices.ContainsFunc(list[1], same) {
				names[v.Name] = true
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + units.Clip(strings.Join(slices.Sorted(maps.Keys(names)), ", "), longestText) + ")"
}

// environment returns a container's variables without the value of its deadline, which depends on
// when the pod was created.
func environment(container corev1.Container) [2]any {
	variables := slices.Clone(container.Env)
	for i := range variables {
		if variables[i].Name == envvar.Deadline {
			variables[i].Value = ""
		}
	}
	return [2]any{variables, container.EnvFrom}
}

// privileges returns the parts of a security context that admission does not fill in.
func privileges(container corev1.Container) corev1.SecurityContext {
	context := ptr.Deref(container.SecurityContext, corev1.SecurityContext{})
	added := ptr.Deref(context.Capabilities, corev1.Capabilities{}).Add
	return corev1.SecurityContext{
		Privileged:               ptr.To(ptr.Deref(context.Privileged, false)),
		AllowPrivilegeEscalation: context.AllowPrivilegeEscalation,
		ReadOnlyRootFilesystem:   context.ReadOnlyRootFilesystem,
		Capabilities:             &corev1.Capabilities{Add: added},
	}
}

// hooks returns everything that kubelet runs next to the container's program.
func hooks(c corev1.Container) [4]any {
	return [4]any{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe, c.Lifecycle}
}

func hostNamespaces(pod corev1.PodSpec) [4]bool {
	return [4]bool{pod.HostNetwork, pod.HostPID, pod.HostIPC, ptr.Deref(pod.ShareProcessNamespace, false)}
}

// sameVolume reports whether a volume is the planned one. The API server fills in the mode of a
// Secret's files.
func sameVolume(planned, given corev1.Volume) bool {
	if planned.Name != given.Name {
		return false
	}
	if planned.Secret != nil {
		return given.Secret != nil && given.Secret.SecretName == planned.Secret.SecretName
	}
	return equality.Semantic.DeepEqual(planned.EmptyDir, given.EmptyDir) && equality.Semantic.DeepEqual(planned.Projected, given.Projected)
}

// inOrder returns all containers of a pod. One that was added later, to debug it, takes CPU time
// as well.
func inOrder(spec corev1.PodSpec) []corev1.Container {
	all := append(slices.Clone(spec.InitContainers), spec.Containers...)
	for _, added := range spec.EphemeralContainers {
		all = append(all, corev1.Container(added.EphemeralContainerCommon))
	}
	return all
}
