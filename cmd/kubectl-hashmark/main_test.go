//go:build integration

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/process"
)

// patience is the timeout of everything here.
const patience = time.Minute

// cluster is the API server that the tests of this package share.
var cluster apiserver.Shared

func TestMain(m *testing.M) {
	if process.Is() {
		main()
		return
	}
	os.Exit(cluster.Run(m))
}

// userWith creates a user with the named roles of the chart in one namespace and no other
// rights. It returns the kubeconfig.
func userWith(t *testing.T, namespace string, roles ...string) (kubeconfig string) {
	t.Helper()
	name := "user-of-" + namespace
	for _, role := range roles {
		cluster.Grant(t, name, namespace, apiserver.Role(t, role))
	}
	return cluster.User(t, name)
}

// experiment waits for the experiment of the namespace and returns it.
func experiment(t *testing.T, namespace string) *v1beta1.SizingExperiment {
	t.Helper()
	list := &v1beta1.SizingExperimentList{}
	process.Eventually(t, "there is an experiment", patience, func() bool {
		return cluster.List(t.Context(), list, client.InNamespace(namespace)) == nil && len(list.Items) == 1
	})
	return &list.Items[0]
}

// awaits waits until standard error contains the words.
func awaits(t *testing.T, p *process.Process, words string) {
	t.Helper()
	process.Eventually(t, "it says "+words, patience, func() bool { return strings.Contains(p.Stderr(), words) })
}
