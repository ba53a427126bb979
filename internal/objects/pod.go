package objects

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Unprivileged is the user ID that Hashmark's images run as. Any number but 0 works; this one is common in images without a
// user database.
const Unprivileged = 65532

// PodSettings are what an administrator gives to the pods of all trials: what a platform requires of every pod.
type PodSettings struct {
	// Labels and Annotations that the objects of trials get beside Hashmark's own.
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// InheritedLabels are keys of labels that they get from their experiment, if it has them.
	InheritedLabels []string `json:"inheritedLabels,omitempty"`
	// ImagePullSecrets are Secrets in each experiment's namespace with which nodes pull the images.
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`
	// PriorityClassName and RuntimeClassName of the pods; empty means Kubernetes' defaults.
	PriorityClassName string `json:"priorityClassName,omitempty"`
	RuntimeClassName  string `json:"runtimeClassName,omitempty"`
	// NodeSelector and Tolerations are added to those of node pools and of the generator.
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	// RunAsUser is the user and group ID of own login services and companions; nil leaves it to the platform or the image.
	// Hashmark's own images have a user, which the platform may replace.
	RunAsUser *int64 `json:"runAsUser"`
	// ImageMirrors are where nodes or webhooks may take images from instead.
	ImageMirrors []ImageMirror `json:"imageMirrors,omitempty"`
}

// ImageMirror is a repository, or a part of its path from the left, and one that has the same images.
type ImageMirror struct {
	Source string `json:"source"`
	Mirror string `json:"mirror"`
}

const (
	// graceSeconds is how long a pod has to terminate. The login service drains within four
	// seconds, and a load that is removed should end soon.
	graceSeconds = 5
)

func (b Builder) podSpec() corev1.PodSpec {
	given := b.settings.Pods
	pod := corev1.PodSpec{
		ImagePullSecrets:  slices.Clone(given.ImagePullSecrets),
		PriorityClassName: given.PriorityClassName,
		NodeSelector:      maps.Clone(given.NodeSelector),
		Tolerations:       slices.Clone(given.Tolerations),

		ServiceAccountName:           ServiceAccountName(b.experiment.UID),
		AutomountServiceAccountToken: ptr.To(false),
		// Otherwise each Service of the namespace would add environment variables.
		EnableServiceLinks: ptr.To(false),
		// Pods use IP addresses and resolve no names, unless k6 sends its series to one. With
		// the default policy, kubelet would warn in a cluster without DNS.
		DNSPolicy:                     corev1.DNSDefault,
		TerminationGracePeriodSeconds: ptr.To[int64](graceSeconds),
		Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{awayFromOperator()},
		}},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   ptr.To(true),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}
	if given.RuntimeClassName != "" {
		pod.RuntimeClassName = &given.RuntimeClassName
	}
	return pod
}

// runAsOwn gives a pod with a user's image a user, because the image's can be root.
func (b Builder) runAsOwn(pod *corev1.PodSpec) {
	if user := b.settings.Pods.RunAsUser; user != nil {
		pod.SecurityContext.RunAsUser, pod.SecurityContext.RunAsGroup = user, user
	}
}

// CheckPools returns an error if a node pool wants another value of a node label than the administrator.
func (s Settings) CheckPools(pools []v1beta1.NodePool) error {
	for _, pool := range pools {
		for key, value := range pool.NodeSelector {
			if given, has := s.Pods.NodeSelector[key]; has && given != string(value) {
				return fmt.Errorf("node pool %s has nodes with %s=%s, but this operator measures on nodes with %s=%s only (trialPods.nodeSelector); use another pool", pool.Name, key, value, key, given)
			}
		}
	}
	return nil
}

// placeOn adds to the labels of a pod's nodes, and to the taints that it tolerates. The administrator's labels win.
func placeOn(pod *corev1.PodSpec, labels map[string]string, tolerations []corev1.Toleration) {
	if len(labels) > 0 {
		all := maps.Clone(labels)
		maps.Copy(all, pod.NodeSelector)
		pod.NodeSelector = all
	}
	pod.Tolerations = append(pod.Tolerations, tolerations...)
}

// awayFromOperator prefers a node without an operator, which uses CPU time during a load. That
// service and generator are on different nodes matters more. The scheduler also applies it
// to an operator that starts during a load.
func awayFromOperator() corev1.WeightedPodAffinityTerm {
	return corev1.WeightedPodAffinityTerm{
		Weight: 50,
		PodAffinityTerm: corev1.PodAffinityTerm{
			TopologyKey:       corev1.LabelHostname,
			NamespaceSelector: &metav1.LabelSelector{}, // all namespaces
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
				"app.kubernetes.io/name": "hashmark", "app.kubernetes.io/component": "operator",
			}},
		},
	}
}

func (b Builder) container(name, image string, resources corev1.ResourceRequirements) corev1.Container {
	return corev1.Container{
		Name:                     name,
		Image:                    image,
		ImagePullPolicy:          b.settings.PullPolicy,
		Resources:                *resources.DeepCopy(),
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false),
			ReadOnlyRootFilesystem:   ptr.To(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

func scratch(name string, medium corev1.StorageMedium, size string) corev1.Volume {
	return corev1.Volume{
		Name: name,
		VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
			Medium:    medium,
			SizeLimit: ptr.To(resource.MustParse(size)),
		}},
	}
}

func variable(name, value string) corev1.EnvVar { return corev1.EnvVar{Name: name, Value: value} }
