//go:build e2e

package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// companyRules applies the rules of a company to the namespaces of this suite until the test ends.
func companyRules(t *testing.T) {
	t.Helper()
	const rules = "testdata/company-rules.yaml"
	t.Cleanup(func() {
		if out, err := exec.Command("kubectl", "delete", "--ignore-not-found", "-f", rules).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	if out, err := exec.CommandContext(t.Context(), "kubectl", "apply", "-f", rules).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The policies of admission and of mutation are read by the same API server, and one after the other.
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace(t), Name: "plain", Labels: map[string]string{v1beta1.LabelComponent: "none"}},
		Spec: corev1.PodSpec{
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{Name: "plain", Image: "example.test/plain", SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			}}},
		},
	}
	until(t, time.Minute, "the rules to be in force", func() (bool, string) {
		refused := cluster.Create(t.Context(), pod.DeepCopy(), client.DryRunAll)
		if refused == nil || !strings.Contains(refused.Error(), "e2e-company") {
			return false, "a pod without labels is admitted"
		}
		with := pod.DeepCopy()
		with.Labels["business-owner"], with.Labels["technical-owner"] = "a", "b"
		with.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "a"}}
		if err := cluster.Create(t.Context(), with, client.DryRunAll); err != nil {
			return false, err.Error()
		}
		return len(with.Spec.InitContainers) > 0, "nothing is injected"
	})
}

// limits gives a namespace a LimitRange and a quota, as a company does.
func limits(t *testing.T, namespace string) {
	t.Helper()
	create(t, &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "company"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
		Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")},
		MaxLimitRequestRatio: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2")},
	}}}})
	create(t, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "company"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{
		corev1.ResourceRequestsCPU: resource.MustParse("2"), corev1.ResourceRequestsMemory: resource.MustParse("1Gi"), corev1.ResourceLimitsMemory: resource.MustParse("2Gi"),
	}}})
}

// inherits fails unless the pods of an experiment under load have its label instead of the administrator's.
func inherits(t *testing.T, e *v1beta1.SizingExperiment) {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, cluster.List(t.Context(), pods, client.InNamespace(e.Namespace), client.MatchingLabels{v1beta1.LabelExperiment: e.Name}))
	if len(pods.Items) < 2 {
		t.Errorf("there are %d pods under load", len(pods.Items))
	}
	for _, pod := range pods.Items {
		if got := pod.Labels["business-owner"]; got != e.Labels["business-owner"] || pod.Labels["technical-owner"] != "platform" || pod.Spec.PriorityClassName != "company-measured" {
			t.Errorf("%s has the labels %v and the priority class %q", pod.Name, pod.Labels, pod.Spec.PriorityClassName)
		}
	}
}

// notAltered fails if admission has changed what was measured.
func notAltered(t *testing.T, e *v1beta1.SizingExperiment) {
	t.Helper()
	for _, row := range e.Status.Results {
		for _, reason := range row.Reasons {
			if reason.Type == v1beta1.ReasonPodAltered {
				t.Errorf("%s: %s", row.Variant, reason.Message)
			}
		}
	}
}

// Whatever a platform refuses is said at once, with what to set, and the turn goes to others. Without this each case would take
// the start timeout.
func TestWhatAPlatformRefusesIsSaidWithWhatHelps(t *testing.T) {
	companyRules(t)
	label := "labels: {business-owner: a, technical-owner: b"
	pull := "imagePullSecrets: [{name: company-registry}]"
	for name, test := range map[string]struct {
		pods    string
		prepare func(t *testing.T, namespace string)
		cpu     string
		reason  string
		says    []string
	}{
		"required labels": {
			pods: "{" + pull + "}", reason: v1beta1.ReasonAdmissionRefused,
			says: []string{"a pod of the login service", "trialPods.labels", "the labels business-owner and technical-owner are required"},
		},
		"a pull secret": {
			pods: "{" + label + "}}", reason: v1beta1.ReasonAdmissionRefused, says: []string{"trialPods.imagePullSecrets", "with its pull secret"},
		},
		"a LimitRange": {
			pods: "{" + label + "}, " + pull + "}", cpu: "100m", reason: v1beta1.ReasonAdmissionRefused,
			prepare: func(t *testing.T, namespace string) {
				create(t, &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "team"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
					Type: corev1.LimitTypeContainer, Min: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")},
				}}}})
			},
			says: []string{"spec.matrix.cpuLimits", "minimum cpu usage per Container is 200m, but request is 100m"},
		},
		"a quota": {
			pods: "{" + label + "}, " + pull + "}", reason: v1beta1.ReasonQuotaRefused,
			prepare: func(t *testing.T, namespace string) {
				create(t, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "team"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0"), "requests.cpu": resource.MustParse("100m")}}})
			},
			says: []string{"An attempt needs 2 pods with 750m CPU", "Raise the quota", "exceeded quota: team"},
		},
		"no CPU limits": {
			pods: "{" + label + "}, " + pull + "}", reason: v1beta1.ReasonAdmissionRefused,
			prepare: func(t *testing.T, _ string) {
				patch := `[{"op":"replace","path":"/spec/validations/3/expression","value":"variables.containers.all(c, !('cpu' in c.?resources.?limits.orValue({})))"}]`
				out, err := exec.CommandContext(t.Context(), "kubectl", "patch", "validatingadmissionpolicy", "e2e-company", "--type=json", "-p", patch).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				t.Cleanup(func() {
					if out, err := exec.CommandContext(context.Background(), "kubectl", "apply", "-f", "testdata/company-rules.yaml").CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
				})
			},
			says: []string{"Hashmark measures with CPU limits", v1beta1.LabelComponent, "CPU limits are not allowed here"},
		},
		"a queue for Jobs": {
			pods: "{" + label + "}, " + pull + "}", reason: v1beta1.ReasonJobSuspended, says: []string{"Kueue", "trialPods.labels", "kueue.x-k8s.io/queue-name"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			startOperator(t, "trialPods: "+test.pods)
			ns := namespace(t)
			if test.prepare != nil {
				test.prepare(t, ns)
			}
			e := tiny(ns, "refused")
			if test.cpu != "" {
				e.Spec.Matrix.CPULimits = fixture.Limits(test.cpu)
			}
			create(t, e)
			until(t, time.Minute, test.reason, func() (bool, string) {
				trials := trialsOf(t, e)
				if len(trials) == 0 {
					return false, "no trial"
				}
				status := trials[0].Status
				for _, says := range test.says {
					if !strings.Contains(status.Message, says) {
						return false, status.Reason + ": " + status.Message
					}
				}
				return status.Reason == test.reason, status.Reason + ": " + status.Message
			})
		})
	}
}

// What a mesh or a platform injects is named, and the load does not go to an injected proxy.
func TestWhatIsInjectedIntoPodsIsNamed(t *testing.T) {
	companyRules(t)
	startOperator(t, `trialPods: {labels: {business-owner: a, technical-owner: b, company.example/injected: "true", kueue.x-k8s.io/queue-name: q}, imagePullSecrets: [{name: company-registry}]}`)
	e := create(t, tiny(namespace(t), "injected"))
	finished(t, e, 3*time.Minute)
	trial := theTrial(t, e)
	if len(trial.Status.Steps) == 0 || trial.Status.Steps[0].OK == 0 {
		t.Fatalf("no login was answered: %s", standing(t, e))
	}
	said := ""
	for _, reason := range trial.Status.Result.Reasons {
		if reason.Type == v1beta1.ReasonPodAltered {
			said = reason.Message
		}
	}
	for _, name := range []string{"istio-proxy", "HTTP_PROXY"} {
		if !strings.Contains(said, name) {
			t.Errorf("%s is not named: %s", name, said)
		}
	}
}
