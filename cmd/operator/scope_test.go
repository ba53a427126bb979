//go:build integration

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
	"github.com/hashmark-dev/hashmark/test/process"
)

// TestConfinedOperatorNeedsRolesInItsNamespacesOnly gives an operator rights in two
// namespaces, and lets it take turns between them: nothing that it requests is refused.
func TestConfinedOperatorNeedsRolesInItsNamespacesOnly(t *testing.T) {
	home, first, second, third := cluster.Namespace(t, "home"), cluster.Namespace(t, "first"), cluster.Namespace(t, "second"), cluster.Namespace(t, "third")
	kubeconfig := userOfOperator(t, "confined", home, first, second)

	foreign := createExperiment(t, third)
	holder, waiting := createExperiment(t, first), createExperiment(t, second)
	o := operator(t, kubeconfig, elected, leases(home), "watchNamespaces: ["+first+", "+second+"]")
	process.Eventually(t, "the operator is ready", 30*time.Second, o.ready)

	process.Eventually(t, "a service is deployed", 30*time.Second, func() bool { return deployments(t, first)+deployments(t, second) == 1 })
	if deployments(t, first) == 0 {
		holder, waiting = waiting, holder // if both were created within the same second, their UIDs decide
	}
	process.Eventually(t, "the other one waits", 10*time.Second, func() bool {
		reread(t, waiting)
		return waiting.Status.Phase == v1beta1.ExperimentQueued && waiting.Status.Progress.QueuePosition != nil
	})
	if n := deployments(t, waiting.Namespace); n != 0 {
		t.Errorf("%d services are deployed before their turn", n)
	}
	before := holder.DeepCopy()
	holder.Spec.Cancel = ptr.To(true)
	if err := cluster.Patch(t.Context(), holder, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	process.Eventually(t, "the turn goes to the other namespace", 30*time.Second, func() bool { return deployments(t, waiting.Namespace) == 1 })
	reread(t, holder)
	if n := deployments(t, holder.Namespace); n != 0 {
		t.Errorf("%d services of the cancelled experiment are left when the next begins", n)
	}

	reread(t, foreign)
	if foreign.Status.Phase != "" || deployments(t, third) != 0 {
		t.Errorf("the experiment of the third namespace is %q", foreign.Status.Phase)
	}
	if code := o.End(syscall.SIGTERM); code != 0 {
		t.Errorf("the operator ended with %d", code)
	}
	if said := o.Stderr(); strings.Contains(said, "forbidden") {
		t.Errorf("the operator was refused something:\n%s", said)
	}
}

// createExperiment creates an experiment with one variant.
func createExperiment(t *testing.T, namespace string) *v1beta1.SizingExperiment {
	t.Helper()
	e := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "login"},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix:    v1beta1.Matrix{Costs: []int32{4}, CPULimits: fixture.Limits("250m")},
			Objective: v1beta1.Objective{P95Milliseconds: 1000},
		},
	}
	cluster.Make(t, e)
	return e
}

func reread(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
}

func deployments(t *testing.T, namespace string) int {
	t.Helper()
	list := &appsv1.DeploymentList{}
	if err := cluster.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}
