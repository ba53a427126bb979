package objects

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// ServicePolicy builds the NetworkPolicy of the login service. Ingress is allowed from the
// attempt's generator, and, unless the service is a user's own, from pods of any namespace that are
// labelled as a scraper of metrics. Egress is allowed to companions only.
func (b Builder) ServicePolicy() *networkingv1.NetworkPolicy {
	generator := networkingv1.NetworkPolicyPeer{
		PodSelector: &metav1.LabelSelector{MatchLabels: b.GeneratorSelector()},
	}
	scraper := networkingv1.NetworkPolicyPeer{
		NamespaceSelector: &metav1.LabelSelector{},
		PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{v1beta1.LabelScraper: "true"}},
	}
	from := []networkingv1.NetworkPolicyPeer{generator, scraper}
	if b.trial.Spec.Service.Own != nil {
		from = from[:1]
	}
	policy := b.policy(ServicePolicyName(b.trial.UID, b.number), v1beta1.ComponentService)
	policy.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{From: from, Ports: b.servicePorts()}}
	policy.Spec.Egress = b.toCompanions(b.companionPorts())
	return policy
}

// GeneratorPolicy builds the NetworkPolicy of the generator. Egress is allowed to the attempt's login
// service, to what its companions report, and to the receiver of k6's series, if there is one, and no ingress. The rule selects the pods and
// not the Service's address, because most networks apply policies after the destination was rewritten.
func (b Builder) GeneratorPolicy() *networkingv1.NetworkPolicy {
	policy := b.policy(GeneratorPolicyName(b.trial.UID, b.number), v1beta1.ComponentGenerator)
	service := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: b.ServiceSelector()}}
	toService := networkingv1.NetworkPolicyEgressRule{To: []networkingv1.NetworkPolicyPeer{service}, Ports: b.servicePorts()}
	policy.Spec.Egress = append([]networkingv1.NetworkPolicyEgressRule{toService}, b.liveEgress()...)
	policy.Spec.Egress = append(policy.Spec.Egress, b.toCompanions([]networkingv1.NetworkPolicyPort{policyPort(corev1.ProtocolTCP, EvidencePort)})...)
	return policy
}

// policy returns a NetworkPolicy that denies all ingress and egress of a component's pods.
func (b Builder) policy(name, component string) *networkingv1.NetworkPolicy {
	return denial(b.metadata(name, component), metav1.LabelSelector{MatchLabels: b.selector(component)})
}

// DenyPolicyName is the name of a namespace's deny policy. The admission policy reserves it like
// the names of children, and no child has such an ending.
const DenyPolicyName = "hm-0000000000-deny"

// DenyPolicy builds the NetworkPolicy that denies all ingress and egress of the pods of all trials
// in a namespace. What an attempt's own policies allow is allowed in addition. These are deleted
// with their trial, before its pods have ended; the deny policy has no owner and outlives them.
func DenyPolicy(namespace string) *networkingv1.NetworkPolicy {
	metadata := metav1.ObjectMeta{
		Name: DenyPolicyName, Namespace: namespace,
		Labels: map[string]string{v1beta1.LabelComponent: v1beta1.ComponentTrials},
	}
	return denial(metadata, metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: v1beta1.LabelTrialUID, Operator: metav1.LabelSelectorOpExists},
	}})
}

// denial returns a NetworkPolicy that denies all ingress and egress of some pods.
func denial(metadata metav1.ObjectMeta, pods metav1.LabelSelector) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: metadata,
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: pods,
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
		},
	}
}

func (b Builder) servicePorts() []networkingv1.NetworkPolicyPort {
	of := b.endpoint()
	ports := []networkingv1.NetworkPolicyPort{policyPort(corev1.ProtocolTCP, of.port)}
	if of.evidencePort != of.port {
		ports = append(ports, policyPort(corev1.ProtocolTCP, of.evidencePort))
	}
	return ports
}

func policyPort(protocol corev1.Protocol, port int32) networkingv1.NetworkPolicyPort {
	return networkingv1.NetworkPolicyPort{Protocol: ptr.To(protocol), Port: ptr.To(intstr.FromInt32(port))}
}
