//go:build e2e

package e2e

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

func TestAStarvedGeneratorIsNeverValid(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "starved", tries(1), func(s *v1alpha1.SizingExperimentSpec) {
		s.Generator.CPULimit = "20m"
	}, loaded(t, 40, 1)))
	finished(t, e, 4*time.Minute)
	// With so little CPU, k6 sends its logins late, or cannot even start its virtual users.
	status := theTrial(t, e).Status
	if status.Phase == v1alpha1.TrialFailed && status.Reason == v1alpha1.ReasonGeneratorThrottled && status.Result == nil {
		return
	}
	if status.Result == nil || status.Result.Verdict != v1alpha1.VerdictInvalid || !verdict.InvalidByGenerator(*status.Result) {
		t.Errorf("a generator with 20m CPU and an offered rate of 40 %% of the bound: %s, %s, result %+v", status.Phase, status.Reason, status.Result)
	}
}

func TestAGeneratorOnTheServicesNodeIsSuspect(t *testing.T) {
	startOperator(t)
	cordon(t, "node-2")
	e := create(t, tiny(namespace(t), "crowded", func(s *v1alpha1.SizingExperimentSpec) {
		s.Load.RatesPerSecond = []intstr.IntOrString{intstr.FromInt32(30)}
	}))
	finished(t, e, 2*time.Minute)
	status := theTrial(t, e).Status
	if status.Result == nil || status.Result.Verdict == v1alpha1.VerdictValid || !has(status.Result.Reasons, v1alpha1.ReasonSharedNode) {
		t.Fatalf("judged %+v, want SharedNode", status.Result)
	}
	t.Logf("judged %s: %+v", status.Result.Verdict, status.Result.Reasons)
	if status.Evidence.GeneratorNode != status.Evidence.ServiceNodes[0] {
		t.Errorf("the generator ran on %s, the service on %v", status.Evidence.GeneratorNode, status.Evidence.ServiceNodes)
	}
}

func has(reasons []v1alpha1.Reason, kind string) bool {
	for _, r := range reasons {
		if r.Type == kind {
			return true
		}
	}
	return false
}

// cordon keeps new pods off a node until the test ends.
func cordon(t *testing.T, name string) {
	t.Helper()
	node := &corev1.Node{}
	must(t, cluster.Get(t.Context(), client.ObjectKey{Name: name}, node))
	kubectl(t, "cordon", name)
	t.Cleanup(func() {
		kubectlAfter(t, "uncordon", name)
	})
}
