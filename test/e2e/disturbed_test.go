//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestALimitThatAdmissionRewritesIsFound(t *testing.T) {
	startOperator(t)
	ns := namespace(t)
	rewriteLimits(t, ns, "300m")
	e := create(t, tiny(ns, "rewritten"))
	finished(t, e, 2*time.Minute)
	judgedInvalidFor(t, e, v1alpha1.ReasonPodAltered, v1alpha1.ReasonLimitNotApplied)
}

func TestALimitThatIsChangedUnderLoadIsFound(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "resized", longer(20)))
	underLoad(t, e)
	pod := podsOf(t, e, v1alpha1.ComponentService)[0]
	kubectl(t, "patch", "pod", pod.Name, "-n", e.Namespace, "--subresource=resize", "--patch",
		`{"spec":{"containers":[{"name":"`+pod.Spec.Containers[0].Name+`","resources":{"limits":{"cpu":"500m"},"requests":{"cpu":"500m"}}}]}}`)
	finished(t, e, 2*time.Minute)
	judgedInvalidFor(t, e, v1alpha1.ReasonPodAltered)
}

func TestANeighbourThatBurnsTheServicesCPUIsFound(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "robbed", longer(12), costs(8), func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.CPULimits = []string{"1"}
	}, loaded(t, 30, 1)))
	underLoad(t, e)
	burn(t, theTrial(t, e).Status.Calibration.Cpuset)
	finished(t, e, 2*time.Minute)
	result := theTrial(t, e).Status.Result
	if result == nil || result.Verdict == v1alpha1.VerdictValid || !has(result.Reasons, v1alpha1.ReasonNoisyNeighbour) {
		t.Fatalf("judged %+v, want NoisyNeighbour", result)
	}
	t.Logf("judged %s: %+v", result.Verdict, result.Reasons)
}

// judgedInvalidFor fails unless the only trial has verdict Invalid with all of the reasons.
func judgedInvalidFor(t *testing.T, e *v1alpha1.SizingExperiment, reasons ...string) {
	t.Helper()
	result := theTrial(t, e).Status.Result
	if result == nil || result.Verdict != v1alpha1.VerdictInvalid {
		t.Fatalf("judged %+v, want Invalid", result)
	}
	t.Logf("judged %s: %+v", result.Verdict, result.Reasons)
	for _, reason := range reasons {
		if !has(result.Reasons, reason) {
			t.Errorf("the reasons lack %s: %+v", reason, result.Reasons)
		}
	}
}

// burn keeps a process busy on CPUs, given as a list such as 0-3, until the test ends.
func burn(t *testing.T, cpus string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "taskset", "-c", cpus, "sh", "-c", "while :; do :; done")
	// If the test dies, the process dies too.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
}

// rewriteLimits makes the API server change the CPU limit of every new login pod in a
// namespace until the test ends.
func rewriteLimits(t *testing.T, ns, limit string) {
	t.Helper()
	policy := &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: ns + "-rewrites-limits"},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": ns}},
				ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelComponent: v1alpha1.ComponentService}},
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				}}},
			},
			FailurePolicy:      ptr.To(admissionv1.Fail),
			ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			Mutations: []admissionv1.Mutation{{
				PatchType: admissionv1.PatchTypeJSONPatch,
				JSONPatch: &admissionv1.JSONPatch{Expression: fmt.Sprintf(
					`[JSONPatch{op: "replace", path: "/spec/containers/0/resources/limits/cpu", value: %[1]q},
					  JSONPatch{op: "replace", path: "/spec/containers/0/resources/requests/cpu", value: %[1]q}]`, limit)},
			}},
		},
	}
	binding := &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy.Name},
		Spec:       admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: policy.Name},
	}
	for _, object := range []client.Object{policy, binding} {
		must(t, cluster.Create(t.Context(), object))
		t.Cleanup(func() { _ = cluster.Delete(context.Background(), object) })
	}
	inForce(t, ns, limit)
}

// inForce waits until the API server rewrites limits, which takes a moment after a policy was
// created.
func inForce(t *testing.T, ns, limit string) {
	t.Helper()
	until(t, time.Minute, "the policy to be in force", func() (bool, string) {
		out := kubectl(t, "run", "probe", "-n", ns, "--dry-run=server", "--image=none", "--labels="+v1alpha1.LabelComponent+"="+v1alpha1.ComponentService,
			"--overrides", `{"spec":{"containers":[{"name":"probe","image":"none","resources":{"limits":{"cpu":"1m","memory":"1Mi"},"requests":{"cpu":"1m","memory":"1Mi"}},`+
				`"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]},"runAsNonRoot":true,"runAsUser":1,"seccompProfile":{"type":"RuntimeDefault"}}}]}}`,
			"-o", "jsonpath={.spec.containers[0].resources.limits.cpu}")
		return out == limit, out
	})
}
