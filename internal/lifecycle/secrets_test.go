package lifecycle

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// With a Secret named, what a service or a companion prints reaches no status. Kubelet and a program of the user's write
// anything into the message of a container.
func TestNothingIsQuotedFromAServiceWithASecret(t *testing.T) {
	const printed = "s3cret"
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: printed}}
	pod := func(container string) *corev1.Pod {
		status := []corev1.ContainerStatus{{Name: container, State: ended}}
		return &corev1.Pod{Status: corev1.PodStatus{InitContainerStatuses: status}}
	}
	for name, key := range map[string]*v1beta1.KeySource{
		"no key":               nil,
		"a key of a ConfigMap": {ConfigMapKeyRef: &v1beta1.KeyRef{Name: "a", Key: "b"}},
		"a key of a Secret":    {SecretKeyRef: &v1beta1.KeyRef{Name: "a", Key: "b"}},
	} {
		for place, put := range map[string]func(*v1beta1.OwnService){
			"a variable": func(own *v1beta1.OwnService) { own.Env = []v1beta1.EnvVar{{Name: "A", ValueFrom: key}} },
			"a file":     func(own *v1beta1.OwnService) { own.Files = []v1beta1.File{{Path: "/a", ContentFrom: key}} },
			"a variable of a companion": func(own *v1beta1.OwnService) {
				own.Companions = []v1beta1.Companion{{Env: []v1beta1.EnvVar{{Name: "A", ValueFrom: key}}}}
			},
		} {
			own := &v1beta1.OwnService{}
			put(own)
			o := &Observation{Trial: &v1beta1.SizingTrial{Spec: v1beta1.SizingTrialSpec{Service: v1beta1.Service{Own: own}}}}
			said := podFailed(pod(objects.CalibrateContainer), time.Time{}, o.quotes()).Message +
				companionPodFailed(pod(objects.CompanionContainer), time.Time{}, o.quotes()).Message
			secret := key != nil && key.SecretKeyRef != nil
			if quoted := strings.Count(said, printed); quoted != map[bool]int{true: 0, false: 2}[secret] || strings.Contains(said, "names a Secret") != secret {
				t.Errorf("%s as %s: the messages are %q", name, place, said)
			}
		}
	}
}
