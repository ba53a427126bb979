package objects

import (
	"net/netip"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/internal/envvar"
)

const (
	// Keys of the Secret of a RemoteWrite; all are optional.
	secretUsername    = "username"
	secretPassword    = "password"
	secretBearerToken = "bearerToken"
	secretAuthority   = "ca.crt"

	// trendStats are the statistics that k6 sends of each of its trends. Grafana Labs' own
	// dashboard shows those that exist, and refers to min, max, p95 and p99.
	trendStats = "p(90),p(95),p(99),min,max,avg,med"
	// pushInterval is k6's default. It is set explicitly because dashboards rely on it.
	pushInterval = "5s"

	authorityVolume = "authority"
	authorityDir    = "/etc/hashmark/authority"
	domainPort      = 53
)

// liveEnvironment returns the variables that make k6 send its own series while it runs. Their
// labels identify the trial: k6's dashboards distinguish runs by testid.
func (b Builder) liveEnvironment() []corev1.EnvVar {
	if b.receiver == nil {
		return nil
	}
	labels := strings.Join([]string{
		"testid=" + b.trial.Name,
		"namespace=" + b.trial.Namespace,
		"experiment=" + b.experiment.Name,
		"variant=" + b.trial.Spec.Variant.Name,
	}, ",")
	environment := []corev1.EnvVar{
		variable(envvar.RemoteWriteLabels, labels),
		variable("K6_PROMETHEUS_RW_SERVER_URL", b.settings.RemoteWrite.URL),
		variable("K6_PROMETHEUS_RW_TREND_STATS", trendStats),
		variable("K6_PROMETHEUS_RW_PUSH_INTERVAL", pushInterval),
		// Without stale markers, Prometheus would continue each series for five minutes.
		variable("K6_PROMETHEUS_RW_STALE_MARKERS", "true"),
	}
	if secret := b.settings.RemoteWrite.SecretName; secret != "" {
		environment = append(environment,
			fromSecret("K6_PROMETHEUS_RW_USERNAME", secret, secretUsername),
			fromSecret("K6_PROMETHEUS_RW_PASSWORD", secret, secretPassword),
			fromSecret("K6_PROMETHEUS_RW_BEARER_TOKEN", secret, secretBearerToken))
	}
	if b.hasAuthority() {
		environment = append(environment, variable("SSL_CERT_FILE", path.Join(authorityDir, secretAuthority)))
	}
	return environment
}

// fromSecret returns a variable that kubelet fills in. It is optional: in a namespace without
// the Secret the receiver refuses the series, but the trial is still measured. A pod that
// required the Secret would never start.
func fromSecret(name, secret, key string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: secret},
		Key:                  key,
		Optional:             ptr.To(true),
	}}}
}

// hasAuthority reports whether the Secret may hold the CA certificate of the receiver. The
// image contains no CA certificates.
func (b Builder) hasAuthority() bool {
	return b.receiver != nil && b.receiver.tls && b.settings.RemoteWrite.SecretName != ""
}

// goLive adds to the generator's pod what it needs to reach the receiver.
func (b Builder) goLive(pod *corev1.PodSpec) {
	if b.receiver == nil {
		return
	}
	if !b.receiver.ip.IsValid() {
		// Only the cluster's own resolver knows the names of Services.
		pod.DNSPolicy = corev1.DNSClusterFirst
	}
	if !b.hasAuthority() {
		return
	}
	pod.Volumes = append(pod.Volumes, corev1.Volume{
		Name: authorityVolume,
		VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: b.settings.RemoteWrite.SecretName,
			Items:      []corev1.KeyToPath{{Key: secretAuthority, Path: secretAuthority}},
			Optional:   ptr.To(true),
		}},
	})
	generator := &pod.Containers[0]
	generator.VolumeMounts = append(generator.VolumeMounts,
		corev1.VolumeMount{Name: authorityVolume, MountPath: authorityDir, ReadOnly: true})
}

// liveEgress returns the egress rules that let the generator reach the receiver. A NetworkPolicy can't refer
// to names, so the name of a Service allows all pods of its namespace, and any other name every address, in
// both cases only on the receiver's port.
func (b Builder) liveEgress() []networkingv1.NetworkPolicyEgressRule {
	if b.receiver == nil {
		return nil
	}
	to := networkingv1.NetworkPolicyEgressRule{
		Ports: []networkingv1.NetworkPolicyPort{policyPort(corev1.ProtocolTCP, b.receiver.port)},
	}
	if ip := b.receiver.ip; ip.IsValid() {
		to.To = []networkingv1.NetworkPolicyPeer{{
			IPBlock: &networkingv1.IPBlock{CIDR: netip.PrefixFrom(ip, ip.BitLen()).String()},
		}}
		return []networkingv1.NetworkPolicyEgressRule{to}
	}
	if namespace := b.receiver.namespace(); namespace != "" {
		to.To = []networkingv1.NetworkPolicyPeer{{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
		}}
	}
	// The address of the DNS resolvers depends on the cluster, but their port does not.
	names := networkingv1.NetworkPolicyEgressRule{Ports: []networkingv1.NetworkPolicyPort{
		policyPort(corev1.ProtocolUDP, domainPort),
		policyPort(corev1.ProtocolTCP, domainPort),
	}}
	return []networkingv1.NetworkPolicyEgressRule{to, names}
}
