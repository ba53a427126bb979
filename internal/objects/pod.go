package objects

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// unprivileged is the user ID that the images run as. Any number but 0 works; this one is
	// common in images without a user database.
	unprivileged = 65532
	// graceSeconds is how long a pod has to terminate. The login service drains within four
	// seconds, and a load that is removed should end soon.
	graceSeconds = 5
)

func (b Builder) podSpec() corev1.PodSpec {
	return corev1.PodSpec{
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
			RunAsUser:      ptr.To[int64](unprivileged),
			RunAsGroup:     ptr.To[int64](unprivileged),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}
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
