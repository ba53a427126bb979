package lifecycle

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// The words are those of Kubernetes, OpenShift, Kyverno, Gatekeeper and Kueue.
func TestARefusalSaysWhatHelps(t *testing.T) {
	o := &Observation{Needs: objects.Needs{Pods: 2, CPU: resource.MustParse("1"), Memory: resource.MustParse("640Mi")}}
	for message, want := range map[string]struct{ reason, says string }{
		`pods "hm-1" is forbidden: exceeded quota: team, requested: limits.cpu=500m, used: limits.cpu=2, limited: limits.cpu=2`: {
			v1beta1.ReasonQuotaRefused, "An attempt needs 2 pods with 1 CPU and 640Mi of memory. The cluster refuses a pod. Raise the quota, or lower spec.matrix.cpuLimits"},
		`pods "hm-1" is forbidden: failed quota: team: must specify limits.ephemeral-storage for: login`:                  {v1beta1.ReasonQuotaRefused, "A LimitRange of the namespace can set the default"},
		`admission webhook "images.example" denied the request: images are limited to registry.example`:                   {v1beta1.ReasonAdmissionRefused, "service.own.image"},
		`pods "hm-1" is forbidden: [minimum cpu usage per Container is 200m, but request is 100m]`:                        {v1beta1.ReasonAdmissionRefused, "spec.generator.cpuLimit and the operator's generator.memoryLimit"},
		`pods "hm-1" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 4`:            {v1beta1.ReasonAdmissionRefused, "spec.matrix.cpuLimits and spec.service.memoryLimit"},
		`admission webhook "validate.kyverno.svc-fail" denied the request: validation error: CPU limits are not allowed.`: {v1beta1.ReasonAdmissionRefused, "Hashmark measures with CPU limits"},
		`pods "hm-1" is forbidden: unable to validate against any security context constraint: [spec.securityContext.runAsUser: Invalid value: 65532: must be in the ranges: [1000670000, 1000679999]`: {
			v1beta1.ReasonAdmissionRefused, "trialPods.runAsUser=platform"},
		`admission webhook "validation.gatekeeper.sh" denied the request: you must provide labels: {"owner"}`: {v1beta1.ReasonAdmissionRefused, "trialPods.labels"},
		`validation error: Unknown image registry. rule validate-registries failed`:                           {v1beta1.ReasonAdmissionRefused, "service.own.image"},
		`validation error: an imagePullSecret is required`:                                                    {v1beta1.ReasonAdmissionRefused, "trialPods.imagePullSecrets"},
		`pods "hm-1" is forbidden: no PriorityClass with name high was found`:                                 {v1beta1.ReasonAdmissionRefused, "with trialPods"},
		`admission webhook "night.example" denied the request: come back tomorrow`:                            {v1beta1.ReasonAdmissionRefused, "The cluster refuses a pod: admission webhook"},
	} {
		got := o.refusal("a pod", message)
		if got.Reason != want.reason || !strings.Contains(got.Message, want.says) || !strings.Contains(got.Message, strings.TrimSuffix(message, ".")) {
			t.Errorf("%s becomes %s: %s; want %s: … %s …", message, got.Reason, got.Message, want.reason, want.says)
		}
	}
}
