package objects

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// CompanionContainer is the name of the container that runs a companion.
	CompanionContainer = "companion"

	defaultCompanionCPU, defaultCompanionMemory = "100m", "128Mi"
)

// CompanionName returns the name of the Deployment of a companion.
func CompanionName(trialUID types.UID, attempt int32, companion string) string {
	return Child(trialUID, attempt) + "-" + companion
}

// CompanionPolicyName returns the name of the NetworkPolicy of an attempt's companions.
func CompanionPolicyName(trialUID types.UID, attempt int32) string {
	return Child(trialUID, attempt) + "-companions"
}

// Companions returns the companions of a trial's own login service.
func Companions(spec v1beta1.SizingTrialSpec) []v1beta1.Companion {
	if spec.Service.Own == nil {
		return nil
	}
	return spec.Service.Own.Companions
}

// Companions builds the Deployments of the attempt's companions. Each is a pod of its own, because a container beside the
// service would use the CPU of the service's node, which is measured.
func (b Builder) Companions() []*appsv1.Deployment {
	var all []*appsv1.Deployment
	for i, companion := range Companions(b.trial.Spec) {
		selector, labels := b.selector(v1beta1.ComponentCompanion), b.podMetadata(v1beta1.ComponentCompanion)
		selector[v1beta1.LabelCompanion], labels.Labels[v1beta1.LabelCompanion] = companion.Name, companion.Name
		deployment := &appsv1.Deployment{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
			ObjectMeta: b.metadata(CompanionName(b.trial.UID, b.number, companion.Name), v1beta1.ComponentCompanion),
			Spec: appsv1.DeploymentSpec{
				Replicas: ptr.To[int32](1), Selector: &metav1.LabelSelector{MatchLabels: selector},
				Strategy:             appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
				RevisionHistoryLimit: ptr.To[int32](0),
				Template:             corev1.PodTemplateSpec{ObjectMeta: labels, Spec: b.companionPod(companion, b.companionResources[i])},
			},
		}
		deployment.Labels[v1beta1.LabelCompanion] = companion.Name
		all = append(all, deployment)
	}
	return all
}

// companionPod builds a pod in which Hashmark's program runs the companion as its child, and reports what it uses.
func (b Builder) companionPod(companion v1beta1.Companion, resources corev1.ResourceRequirements) corev1.PodSpec {
	install := b.container(InstallContainer, b.settings.ServiceImage, resources)
	install.Args = []string{"install", "--to", installDir}
	install.VolumeMounts = []corev1.VolumeMount{{Name: programVolume, MountPath: installDir}}

	c := b.container(CompanionContainer, companion.Image, resources)
	c.Command = append([]string{
		ownProgram, "observe", "--listen", fmt.Sprintf(":%d", EvidencePort),
		"--target", fmt.Sprintf("http://127.0.0.1:%d", companion.Port), "--ready", escaped(handover.HealthCheck{Path: companion.Ready.Path}), "--",
	}, companion.Command...)
	if !NamesSecret(b.trial.Spec.Service) {
		// The pod and its log are gone with the attempt, and the message stays.
		c.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	}
	c.Args = slices.Clone(companion.Args)
	c.Env = append(variables(companion.Env), variable(envvar.Deadline, deadlineText(b.deadline)))
	c.VolumeMounts = []corev1.VolumeMount{{Name: programVolume, MountPath: installDir, ReadOnly: true}}
	c.Ports = []corev1.ContainerPort{
		{Name: CompanionContainer, ContainerPort: companion.Port, Protocol: corev1.ProtocolTCP},
		{Name: evidencePortName, ContainerPort: EvidencePort, Protocol: corev1.ProtocolTCP},
	}
	// The operator waits for it: a pod is ready once its startup probe has succeeded.
	c.StartupProbe = startupProbe(evidence.ReadyPath, evidencePortName)

	pod := b.podSpec()
	b.runAsOwn(&pod)
	pod.InitContainers, pod.Volumes = []corev1.Container{install}, []corev1.Volume{scratch(programVolume, corev1.StorageMediumDefault, installSize)}
	for i, path := range companion.Writable {
		name := writable(CompanionContainer, i)
		pod.Volumes = append(pod.Volumes, scratch(name, corev1.StorageMediumDefault, writableSize))
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path})
	}
	pod.Containers = []corev1.Container{c}
	// An operator may be on the same node: it uses CPU time of a companion, and not of the service.
	pod.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = nil
	b.placeWithLoad(&pod)
	pod.Affinity.NodeAffinity = &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
		Weight: 100,
		Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: v1beta1.LabelRole, Operator: corev1.NodeSelectorOpIn, Values: []string{v1beta1.RoleLoad}},
		}},
	}}}
	return pod
}

// awayFromCompanions prefers a node other than those of the companions, which are there before the service.
func (b Builder) awayFromCompanions() []corev1.WeightedPodAffinityTerm {
	if len(Companions(b.trial.Spec)) == 0 {
		return nil
	}
	return []corev1.WeightedPodAffinityTerm{awayFrom(b.selector(v1beta1.ComponentCompanion))}
}

// companionResources returns what each companion requests, which is also its limit.
func companionResources(spec v1beta1.SizingTrialSpec) ([]corev1.ResourceRequirements, error) {
	var all []corev1.ResourceRequirements
	for _, companion := range Companions(spec) {
		resources, err := guaranteed(
			"the cpuLimit of companion "+companion.Name, cmp.Or(units.Written(companion.CPULimit), defaultCompanionCPU),
			"the memoryLimit of companion "+companion.Name, cmp.Or(units.Written(companion.MemoryLimit), defaultCompanionMemory))
		if err != nil {
			return nil, err
		}
		all = append(all, resources)
	}
	return all, nil
}

// CompanionPolicy builds the NetworkPolicy of the attempt's companions, or nil without any. Ingress is allowed from the login
// service, and from the generator where it reads what they use. No egress is allowed.
func (b Builder) CompanionPolicy() *networkingv1.NetworkPolicy {
	ports := b.companionPorts()
	if len(ports) == 0 {
		return nil
	}
	from := func(selector map[string]string) []networkingv1.NetworkPolicyPeer {
		return []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: selector}}}
	}
	policy := b.policy(CompanionPolicyName(b.trial.UID, b.number), v1beta1.ComponentCompanion)
	policy.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{
		{From: from(b.ServiceSelector()), Ports: ports},
		{From: from(b.GeneratorSelector()), Ports: []networkingv1.NetworkPolicyPort{policyPort(corev1.ProtocolTCP, EvidencePort)}},
	}
	return policy
}

func (b Builder) companionPorts() []networkingv1.NetworkPolicyPort {
	var ports []networkingv1.NetworkPolicyPort
	for _, companion := range Companions(b.trial.Spec) {
		ports = append(ports, policyPort(corev1.ProtocolTCP, companion.Port))
	}
	return ports
}

// toCompanions returns the egress rules by which a component reaches the companions on some ports.
func (b Builder) toCompanions(ports []networkingv1.NetworkPolicyPort) []networkingv1.NetworkPolicyEgressRule {
	if len(Companions(b.trial.Spec)) == 0 {
		return nil
	}
	companions := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: b.selector(v1beta1.ComponentCompanion)}}
	return []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{companions}, Ports: ports}}
}

// hosts returns how the names of companions become their addresses, in the service's own /etc/hosts: its pods resolve no names.
func hosts(addresses map[string]string) []corev1.HostAlias {
	var aliases []corev1.HostAlias
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		aliases = append(aliases, corev1.HostAlias{IP: addresses[name], Hostnames: []string{name}})
	}
	return aliases
}
