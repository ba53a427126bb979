package objects

import (
	"maps"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// meshLabels keep sidecars and traffic redirection away where a mesh looks at
// a pod's labels: a proxy beside the service would hash no password and yet
// use its CPU, and one in the path would add its own latency.
var meshLabels = map[string]string{
	"sidecar.istio.io/inject":   "false",
	"istio.io/dataplane-mode":   "none",
	"kuma.io/sidecar-injection": "disabled",
}

// podAnnotations say the same where a mesh looks at annotations, and keep
// autoscalers from moving a pod in mid-measurement.
var podAnnotations = map[string]string{
	"sidecar.istio.io/inject":                        "false",
	"linkerd.io/inject":                              "disabled",
	"consul.hashicorp.com/connect-inject":            "false",
	"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	"karpenter.sh/do-not-disrupt":                    "true",
}

// ServiceSelector picks the pods of the attempt's login service, and only them.
func (a Attempt) ServiceSelector() map[string]string {
	return a.selector(v1alpha1.ComponentService)
}

// GeneratorSelector picks the pod of the attempt's generator, and only it.
func (a Attempt) GeneratorSelector() map[string]string {
	return a.selector(v1alpha1.ComponentGenerator)
}

// selector goes by UID and number: a name may be given again.
func (a Attempt) selector(component string) map[string]string {
	return map[string]string{
		v1alpha1.LabelTrialUID:  string(a.trial.UID),
		v1alpha1.LabelAttempt:   strconv.Itoa(int(a.number)),
		v1alpha1.LabelComponent: component,
	}
}

// labels tell what an object belongs to, to the operator by UID and to people
// by name.
func (a Attempt) labels(component string) map[string]string {
	labels := a.selector(component)
	labels[v1alpha1.LabelExperimentUID] = string(a.experiment.UID)
	labels[v1alpha1.LabelExperiment] = a.experiment.Name
	labels[v1alpha1.LabelVariant] = a.trial.Spec.Variant.Name
	return labels
}

// metadata of an object of the attempt, which the trial controls.
func (a Attempt) metadata(name, component string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:      name,
		Namespace: a.trial.Namespace,
		Labels:    a.labels(component),
		OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(a.trial, v1alpha1.GroupVersion.WithKind("SizingTrial")),
		},
	}
}

// podMetadata of a pod template of the attempt.
func (a Attempt) podMetadata(component string) metav1.ObjectMeta {
	labels := a.labels(component)
	maps.Copy(labels, meshLabels)
	return metav1.ObjectMeta{Labels: labels, Annotations: maps.Clone(podAnnotations)}
}
