package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// plannedPod returns the pod that the operator creates.
func plannedPod() corev1.PodSpec {
	amounts := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("128Mi")}
	return corev1.PodSpec{
		InitContainers: []corev1.Container{{Name: "calibrate", Image: "service:v1"}},
		Containers: []corev1.Container{{
			Name: "login", Image: "service:v1", Args: []string{"serve"},
			Env:          []corev1.EnvVar{{Name: envvar.Cost, Value: "10"}, {Name: envvar.Deadline, Value: "noon"}},
			Resources:    corev1.ResourceRequirements{Requests: amounts, Limits: amounts},
			VolumeMounts: []corev1.VolumeMount{{Name: "calibration", MountPath: "/run/hashmark"}},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
		}},
		Volumes: []corev1.Volume{
			{Name: "calibration", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr.To(resource.MustParse("1Mi"))}}},
			{Name: "authority", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "k6"}}},
		},
	}
}

func TestDifferencesThatAffectTheNumbersAreFound(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(pod *corev1.PodSpec, login *corev1.Container)
		want   string
	}{
		{"another image", func(_ *corev1.PodSpec, c *corev1.Container) { c.Image = "other:v1" }, "container login runs image other:v1 instead of service:v1"},
		{"another CPU limit", func(_ *corev1.PodSpec, c *corev1.Container) {
			c.Resources.Limits[corev1.ResourceCPU] = resource.MustParse("2")
		}, "container login has a CPU limit of 2 instead of 500m"},
		{"another memory limit", func(_ *corev1.PodSpec, c *corev1.Container) {
			c.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("1Gi")
		}, "container login has a memory limit of 1Gi instead of 128Mi"},
		{"another command", func(_ *corev1.PodSpec, c *corev1.Container) { c.Command = []string{"sh"} }, "container login has another command"},
		{"other arguments", func(_ *corev1.PodSpec, c *corev1.Container) { c.Args = append(c.Args, "--fast") }, "container login has another command"},
		{"another variable", func(_ *corev1.PodSpec, c *corev1.Container) { c.Env[0].Value = "4" }, "container login has another environment (HASHMARK_COST)"},
		{"one more variable", func(_ *corev1.PodSpec, c *corev1.Container) { c.Env = append(c.Env, corev1.EnvVar{Name: "HTTP_PROXY"}) }, "container login has another environment (HTTP_PROXY)"},
		{"variables of a ConfigMap", func(_ *corev1.PodSpec, c *corev1.Container) { c.EnvFrom = make([]corev1.EnvFromSource, 1) }, "container login has another environment"},
		{"a mount over the program", func(_ *corev1.PodSpec, c *corev1.Container) {
			c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "x", MountPath: "/loginservice"})
		}, "container login has another set of mounts"},
		{"privileges", func(_ *corev1.PodSpec, c *corev1.Container) { c.SecurityContext.Privileged = ptr.To(true) }, "container login has another security context"},
		{"a capability", func(_ *corev1.PodSpec, c *corev1.Container) {
			c.SecurityContext.Capabilities.Add = []corev1.Capability{"SYS_NICE"}
		}, "container login has another security context"},
		{"a probe", func(_ *corev1.PodSpec, c *corev1.Container) { c.LivenessProbe = &corev1.Probe{} }, "container login has another probe or hook"},
		{"a hook", func(_ *corev1.PodSpec, c *corev1.Container) { c.Lifecycle = &corev1.Lifecycle{} }, "container login has another probe or hook"},
		{"one more container", func(p *corev1.PodSpec, _ *corev1.Container) {
			p.Containers = append(p.Containers, corev1.Container{Name: "proxy"})
		}, "a pod has the additional container proxy"},
		{"a missing container", func(p *corev1.PodSpec, _ *corev1.Container) { p.InitContainers = nil }, "a pod does not have the container calibrate"},
		{"resources of the whole pod", func(p *corev1.PodSpec, _ *corev1.Container) { p.Resources = &corev1.ResourceRequirements{} }, "a pod has resources of its own, for all its containers together"},
		{"a container to debug it", func(p *corev1.PodSpec, _ *corev1.Container) {
			p.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug"}}}
		}, "a pod has the additional container debug"},
		{"the host's network", func(p *corev1.PodSpec, _ *corev1.Container) { p.HostNetwork = true }, "a pod has other namespaces of its host"},
		{"a ConfigMap in place of a volume", func(p *corev1.PodSpec, _ *corev1.Container) {
			p.Volumes[0].VolumeSource = corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}
		}, "a pod has another volume calibration"},
		{"another Secret", func(p *corev1.PodSpec, _ *corev1.Container) { p.Volumes[1].Secret.SecretName = "other" }, "a pod has another volume authority"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: plannedPod()}
			tt.change(&pod.Spec, &pod.Spec.Containers[0])
			if diff := cmp.Diff([]string{tt.want}, altered(pod, plannedPod(), nil)); diff != "" {
				t.Errorf("the differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFieldsThatTheClusterFillsInAreNoDifference(t *testing.T) {
	pod := &corev1.Pod{Spec: plannedPod()}
	c := &pod.Spec.Containers[0]
	c.ImagePullPolicy = corev1.PullAlways
	c.Image = "mirror.example/service@sha256:0123"
	c.Env[1].Value = "one o'clock"
	c.Resources.Limits[corev1.ResourceEphemeralStorage] = resource.MustParse("1Gi")
	c.Resources.Limits[corev1.ResourceCPU] = resource.MustParse("0.5")
	c.SecurityContext.Privileged, c.SecurityContext.RunAsUser = ptr.To(false), ptr.To[int64](1000)
	pod.Spec.ShareProcessNamespace = ptr.To(false)
	pod.Spec.NodeName, pod.Spec.NodeSelector = "node-a", map[string]string{"zone": "a"}
	pod.Spec.Volumes[1].Secret.DefaultMode = ptr.To[int32](0o644)
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "token"})
	if got := altered(pod, plannedPod(), []objects.ImageMirror{{Source: "service", Mirror: "mirror.example/service"}}); len(got) > 0 {
		t.Errorf("the differences are %q", got)
	}
}

// Whoever patches the Deployment changes the template in the cluster with its pods.
func TestPodsAreComparedWithThePlanAndNotWithTheCluster(t *testing.T) {
	patched := plannedPod()
	patched.Containers[0].Env[0].Value = "4"
	o := world(func(o *Observation) {
		o.Children.Deployment.Spec.Template.Spec, o.Children.ServicePods[0].Spec = patched, patched
		o.Children.GeneratorPods[0].Spec, o.Children.Job.Spec.Template.Spec = patched, patched
	})
	if got := placement(o).Altered; len(got) > 0 {
		t.Fatalf("without a plan, pods that are like the cluster's templates differ: %q", got)
	}
	o.Planned.Service = ptr.To(plannedPod())
	want := []string{"container login has another environment (HASHMARK_COST)"}
	if diff := cmp.Diff(want, placement(o).Altered); diff != "" {
		t.Errorf("the service's differences (-want +got):\n%s", diff)
	}
	if end := ConcludeUnloaded(o); end.Outcome != v1beta1.OutcomeBroken || end.Reason != v1beta1.ReasonPodAltered {
		t.Errorf("a calibration of other pods ends %+v", end)
	}
	o.Planned = Templates{Generator: ptr.To(plannedPod())}
	if diff := cmp.Diff(want, placement(o).Altered); diff != "" {
		t.Errorf("the generator's differences (-want +got):\n%s", diff)
	}
}
