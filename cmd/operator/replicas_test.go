//go:build integration

package main

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/process"
)

// TestOperatorIsReadyOnceCachesAreFilled checks the readiness of an operator that
// reaches the API server, but may not read anything.
func TestOperatorIsReadyOnceCachesAreFilled(t *testing.T) {
	o := operator(t, cluster.User(t, "newcomer"), leases("default"))
	process.Eventually(t, "it is alive", 30*time.Second, func() bool { return o.answers("/healthz", http.StatusOK) })
	process.Eventually(t, "its lists are refused", 30*time.Second, func() bool { return strings.Contains(o.Stderr(), "forbidden") })
	if !o.answers("/readyz", http.StatusInternalServerError) {
		t.Error("it is ready although it has read nothing")
	}
	cluster.Grant(t, "newcomer", "", apiserver.Role(t, "hashmark-operator"))
	process.Eventually(t, "it is ready", time.Minute, o.ready)
}

func TestOperatorWithoutDefinitionsSaysSo(t *testing.T) {
	kubeconfig := cluster.User(t, "early")
	cluster.Grant(t, "early", "", apiserver.Role(t, "hashmark-operator"))
	options := envtest.CRDInstallOptions{Paths: []string{apiserver.Definitions}, ErrorIfPathMissing: true}
	t.Cleanup(func() {
		if _, err := envtest.InstallCRDs(cluster.Environment.Config, options); err != nil {
			t.Errorf("reinstalling the CRDs for the other tests: %v", err)
		}
	})
	if err := envtest.UninstallCRDs(cluster.Environment.Config, options); err != nil {
		t.Fatal(err)
	}
	process.Eventually(t, "the API server no longer serves the kinds", 30*time.Second, func() bool {
		return apierrors.IsNotFound(cluster.List(t.Context(), &v1beta1.SizingExperimentList{}))
	})
	for what, p := range map[string]*process.Process{
		"the operator":   operator(t, kubeconfig).Process,
		"the smoke test": process.Start(t, kubeconfig, "", "smoke-test", "--namespace=default"),
	} {
		if code := p.Code(); code != 1 || !strings.Contains(p.Stderr(), "the cluster does not know Hashmark's kinds: apply config/crd") {
			t.Errorf("%s ended with %d, and said:\n%s", what, code, p.Stderr())
		}
	}
}

// TestStandbyTakesOver ends one leader with SIGTERM and the next with SIGKILL.
func TestStandbyTakesOver(t *testing.T) {
	home := cluster.Namespace(t, "home")
	kubeconfig := userOfOperator(t, "replica", home, "")
	replica := func() *operatorProcess {
		return operator(t, kubeconfig, elected, leases(home))
	}
	first := replica()
	process.Eventually(t, "the first one leads", 30*time.Second, func() bool { return leader(t, home) != "" })
	second := replica()
	process.Eventually(t, "the second one is ready without leading", 30*time.Second, second.ready)

	was := leader(t, home)
	if code := first.End(syscall.SIGTERM); code != 0 {
		t.Errorf("the first one ended with %d", code)
	}
	// It retries every two seconds. If the lease was not released, it would wait for 15.
	process.Eventually(t, "the second one leads, because the first released the lease", 6*time.Second, func() bool {
		now := leader(t, home)
		return now != "" && now != was
	})

	third := replica()
	process.Eventually(t, "the third one is ready", 30*time.Second, third.ready)
	was = leader(t, home)
	second.End(syscall.SIGKILL)
	took := process.Eventually(t, "the third one leads, after the lease of the killed one has expired", 20*time.Second, func() bool {
		now := leader(t, home)
		return now != "" && now != was
	})
	t.Logf("it took %s after a kill", took)
}

// leader returns the holder of the lease, or "" if the lease was released.
func leader(t *testing.T, namespace string) string {
	t.Helper()
	lease := &coordinationv1.Lease{}
	err := cluster.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "operator.hashmark.dev"}, lease)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return ptr.Deref(lease.Spec.HolderIdentity, "")
}
