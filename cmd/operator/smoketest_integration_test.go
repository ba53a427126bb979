//go:build integration

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/process"
)

// testerRules are all rights that a smoke test needs in its namespace.
var testerRules = []rbacv1.PolicyRule{
	{APIGroups: []string{"hashmark.dev"}, Resources: []string{"sizingexperiments"}, Verbs: []string{"create", "list", "watch", "delete"}},
	{APIGroups: []string{"hashmark.dev"}, Resources: []string{"sizingtrials"}, Verbs: []string{"list"}},
}

func experiments(t *testing.T, namespace string) int {
	t.Helper()
	list := &v1beta1.SizingExperimentList{}
	if err := cluster.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}

func TestSmokeTestWithoutOperatorLeavesNothing(t *testing.T) {
	ns, kubeconfig := cluster.Namespace(t, "smoke"), cluster.User(t, "tester")
	cluster.Grant(t, "tester", ns, testerRules)
	test := process.Start(t, kubeconfig, "", "smoke-test", "--namespace="+ns, "--timeout=2s")
	if code := test.Code(); code != 1 || !strings.Contains(test.Stderr(), "operator: no operator looked at the experiment within 2s") {
		t.Errorf("it ended with %d, and said:\n%s", code, test.Stderr())
	}
	if n := experiments(t, ns); n != 0 {
		t.Errorf("it left %d experiments", n)
	}
}

func TestSmokeTestWithoutRightsNamesThem(t *testing.T) {
	ns := cluster.Namespace(t, "smoke")
	test := process.Start(t, cluster.User(t, "stranger"), "", "smoke-test", "--namespace="+ns)
	if code := test.Code(); code != 1 || !strings.Contains(test.Stderr(), "you can't create sizingexperiments in namespace "+ns) {
		t.Errorf("it ended with %d, and said:\n%s", code, test.Stderr())
	}
}

func TestInterruptedSmokeTestLeavesNothing(t *testing.T) {
	ns, kubeconfig := cluster.Namespace(t, "smoke"), cluster.User(t, "impatient")
	cluster.Grant(t, "impatient", ns, testerRules)
	test := process.Start(t, kubeconfig, "", "smoke-test", "--namespace="+ns)
	process.Eventually(t, "it has made its experiment", 10*time.Second, func() bool { return experiments(t, ns) == 1 })
	if code := test.End(syscall.SIGTERM); code != 1 || !strings.Contains(test.Stderr(), "interrupted") {
		t.Errorf("it ended with %d, and said:\n%s", code, test.Stderr())
	}
	if n := experiments(t, ns); n != 0 {
		t.Errorf("it left %d experiments", n)
	}
}
