package objects

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// meshLabels disable sidecars and traffic redirection in meshes that read a pod's labels. A
// proxy next to the service would use its CPU without hashing passwords, and one in the path
// would add latency.
var meshLabels = map[string]string{
	"sidecar.istio.io/inject":   "false",
	"istio.io/dataplane-mode":   "none",
	"kuma.io/sidecar-injection": "disabled",
}

// podAnnotations do the same in meshes that read annotations, and keep autoscalers from
// evicting a pod during a measurement.
var podAnnotations = map[string]string{
	"sidecar.istio.io/inject":                        "false",
	"linkerd.io/inject":                              "disabled",
	"consul.hashicorp.com/connect-inject":            "false",
	"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	"karpenter.sh/do-not-disrupt":                    "true",
}

// ServiceSelector returns a selector of the attempt's login service pods only.
func (b Builder) ServiceSelector() map[string]string { return b.selector(v1beta1.ComponentService) }

// GeneratorSelector returns a selector of the attempt's generator pod only.
func (b Builder) GeneratorSelector() map[string]string {
	return b.selector(v1beta1.ComponentGenerator)
}

// selector uses the UID and the number, because a name may be reused.
func (b Builder) selector(component string) map[string]string {
	return map[string]string{
		v1beta1.LabelTrialUID:  string(b.trial.UID),
		v1beta1.LabelAttempt:   strconv.Itoa(int(b.number)),
		v1beta1.LabelComponent: component,
	}
}

// labels identify what an object belongs to: by UID for the operator, and by name for people.
func (b Builder) labels(component string) map[string]string {
	labels := b.settings.Pods.labels(b.trial.Labels)
	maps.Copy(labels, b.selector(component))
	labels[v1beta1.LabelExperimentUID] = string(b.experiment.UID)
	labels[v1beta1.LabelExperiment] = b.experiment.Name
	labels[v1beta1.LabelVariant] = b.trial.Spec.Variant.Name
	return labels
}

// metadata returns the metadata of an object of the attempt, which the trial controls.
func (b Builder) metadata(name, component string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:        name,
		Namespace:   b.trial.Namespace,
		Labels:      b.labels(component),
		Annotations: maps.Clone(b.settings.Pods.Annotations),
		OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(b.trial, v1beta1.GroupVersion.WithKind("SizingTrial")),
		},
	}
}

func (b Builder) podMetadata(component string) metav1.ObjectMeta {
	labels := b.labels(component)
	maps.Copy(labels, meshLabels)
	annotations := map[string]string{}
	maps.Copy(annotations, b.settings.Pods.Annotations)
	maps.Copy(annotations, podAnnotations)
	return metav1.ObjectMeta{Labels: labels, Annotations: annotations}
}

// labels returns the administrator's labels and the inherited ones. An inherited label replaces the administrator's.
func (s PodSettings) labels(of map[string]string) map[string]string {
	labels := map[string]string{}
	maps.Copy(labels, s.Labels)
	maps.Copy(labels, s.Inherited(of))
	return labels
}

// Inherited returns the labels that objects get from those of their experiment. A trial has them, so that its objects stay
// the same if the experiment's change.
func (s PodSettings) Inherited(of map[string]string) map[string]string {
	labels := map[string]string{}
	for _, key := range s.InheritedLabels {
		if value, has := of[key]; has {
			labels[key] = value
		}
	}
	return labels
}

// nameDigits is the number of hex digits of the hash in a name. 40 bits make collisions in a
// namespace unlikely, and keep the name short.
const nameDigits = 10

// Child returns the name of an attempt's Deployment, Service and Job. It depends only on the
// trial's UID and the attempt's number. A child is therefore found without stored state, and a
// trial that was deleted and created again under the same name has other children.
func Child(trialUID types.UID, attempt int32) string {
	return "hm-" + digest(fmt.Sprintf("%s/%d", trialUID, attempt))
}

// ReplicaSet returns the name of the ReplicaSet that the Deployment controller creates for an
// attempt's login pods, or for those of a companion, with a hash of their template.
func ReplicaSet(trialUID types.UID, attempt int32, companion, hash string) string {
	if companion != "" {
		return CompanionName(trialUID, attempt, companion) + "-" + hash
	}
	return Child(trialUID, attempt) + "-" + hash
}

// ServicePolicyName returns the name of the NetworkPolicy of an attempt's login service.
func ServicePolicyName(trialUID types.UID, attempt int32) string {
	return Child(trialUID, attempt) + "-service"
}

// GeneratorPolicyName returns the name of the NetworkPolicy of an attempt's generator.
func GeneratorPolicyName(trialUID types.UID, attempt int32) string {
	return Child(trialUID, attempt) + "-generator"
}

// ServiceAccountName returns the name of the service account of an experiment's pods.
func ServiceAccountName(experimentUID types.UID) string {
	return "hm-" + digest(string(experimentUID))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:nameDigits]
}
