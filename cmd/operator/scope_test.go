//go:build integration

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/process"
)

// TestAConfinedOperatorNeedsRolesInItsNamespacesOnly gives an operator rights in two
// namespaces, lets it take turns between them, and reads from the API server's audit log what
// it requested.
func TestAConfinedOperatorNeedsRolesInItsNamespacesOnly(t *testing.T) {
	home, first, second, third := cluster.Namespace(t, "home"), cluster.Namespace(t, "first"), cluster.Namespace(t, "second"), cluster.Namespace(t, "third")
	name := "confined-to-" + first // a user for this run only, because all tests share the audit log
	kubeconfig := userOfOperator(t, name, home, first, second)

	foreign := createExperiment(t, third)
	holder, waiting := createExperiment(t, first), createExperiment(t, second)
	o := operator(t, kubeconfig, "--leader-elect", "--leader-election-namespace="+home, "--watch-namespaces="+first+","+second)
	process.Eventually(t, "the operator is ready", 30*time.Second, o.ready)

	process.Eventually(t, "a service is deployed", 30*time.Second, func() bool { return deployments(t, first)+deployments(t, second) == 1 })
	if deployments(t, first) == 0 {
		holder, waiting = waiting, holder // if both were created within the same second, their UIDs decide
	}
	process.Eventually(t, "the other one waits", 10*time.Second, func() bool {
		reread(t, waiting)
		return waiting.Status.Phase == v1alpha1.ExperimentQueued && waiting.Status.Progress.QueuePosition != nil
	})
	if n := deployments(t, waiting.Namespace); n != 0 {
		t.Errorf("%d services are deployed before their turn", n)
	}
	before := holder.DeepCopy()
	holder.Spec.Cancel = true
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
	checkRequests(t, name, []string{home, first, second})
}

// checkRequests compares a user's requests with the namespaces that it has rights in.
func checkRequests(t *testing.T, user string, namespaces []string) {
	t.Helper()
	content, err := os.ReadFile(auditLog)
	if err != nil {
		t.Fatal(err)
	}
	requested := map[string]bool{}
	for line := range bytes.Lines(content) {
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("the audit log contains %s: %v", line, err)
		}
		if event.User.Username != user || event.ObjectRef == nil {
			continue // another user's request, or API discovery
		}
		requested[event.ObjectRef.Resource] = true
		if !slices.Contains(namespaces, event.ObjectRef.Namespace) {
			t.Errorf("it requested %s %s", event.Verb, event.RequestURI)
		}
		if event.ResponseStatus != nil && event.ResponseStatus.Code == 403 {
			t.Errorf("it was refused %s %s", event.Verb, event.RequestURI)
		}
	}
	for resource := range strings.FieldsSeq("sizingexperiments sizingtrials deployments jobs pods events leases") {
		if !requested[resource] {
			t.Errorf("it never requested %s, so the test proves nothing", resource)
		}
	}
}

// createExperiment creates an experiment with one variant.
func createExperiment(t *testing.T, namespace string) *v1alpha1.SizingExperiment {
	t.Helper()
	e := &v1alpha1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "login"},
		Spec: v1alpha1.SizingExperimentSpec{
			Matrix:    v1alpha1.Matrix{Costs: []int32{4}, CPULimits: []string{"250m"}},
			Objective: v1alpha1.Objective{P95Milliseconds: 1000},
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
