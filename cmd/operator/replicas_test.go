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

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// TestAnOperatorIsReadyOnlyWhenItHasSeenTheCluster checks the readiness of an operator that
// reaches the API server, but may not read anything.
func TestAnOperatorIsReadyOnlyWhenItHasSeenTheCluster(t *testing.T) {
	o := operator(t, user(t, "newcomer"), "--leader-election-namespace=default")
	eventually(t, "it is alive", 30*time.Second, func() bool { return o.answers("/healthz", http.StatusOK) })
	eventually(t, "its lists are refused", 30*time.Second, func() bool { return strings.Contains(o.said(), "forbidden") })
	if !o.answers("/readyz", http.StatusInternalServerError) {
		t.Error("it is ready although it has read nothing")
	}
	grantEverywhere(t, "newcomer", rules(t, "operator_role.yaml"))
	eventually(t, "it is ready", time.Minute, o.ready)
}

func TestAnOperatorWithoutDefinitionsSaysSo(t *testing.T) {
	kubeconfig := user(t, "early")
	grantEverywhere(t, "early", rules(t, "operator_role.yaml"))
	options := envtest.CRDInstallOptions{Paths: []string{definitions}, ErrorIfPathMissing: true}
	t.Cleanup(func() {
		if _, err := envtest.InstallCRDs(environment.Config, options); err != nil {
			t.Errorf("reinstalling the CRDs for the other tests: %v", err)
		}
	})
	if err := envtest.UninstallCRDs(environment.Config, options); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the API server no longer serves the kinds", 30*time.Second, func() bool {
		return apierrors.IsNotFound(administrator.List(t.Context(), &v1alpha1.SizingExperimentList{}))
	})
	for what, p := range map[string]*process{
		"the operator":   operator(t, kubeconfig),
		"the smoke test": start(t, kubeconfig, "smoke-test", "--namespace=default"),
	} {
		if code := p.end(); code != 1 || !strings.Contains(p.said(), "the cluster does not know Hashmark's kinds: apply config/crd") {
			t.Errorf("%s ended with %d, and said:\n%s", what, code, p.said())
		}
	}
}

// TestAStandbyTakesOver ends one leader with SIGTERM and the next with SIGKILL.
func TestAStandbyTakesOver(t *testing.T) {
	home := namespace(t, "home")
	kubeconfig := user(t, "replica")
	grantEverywhere(t, "replica", rules(t, "operator_role.yaml"))
	grant(t, "replica", home, rules(t, "leases_role.yaml"))
	replica := func() *process {
		return operator(t, kubeconfig, "--leader-elect", "--leader-election-namespace="+home)
	}
	first := replica()
	eventually(t, "the first one leads", 30*time.Second, func() bool { return leader(t, home) != "" })
	second := replica()
	eventually(t, "the second one is ready without leading", 30*time.Second, second.ready)

	was := leader(t, home)
	if code := first.signal(syscall.SIGTERM); code != 0 {
		t.Errorf("the first one ended with %d", code)
	}
	// It retries every two seconds. If the lease was not released, it would wait for 15.
	eventually(t, "the second one leads, because the first released the lease", 6*time.Second, func() bool {
		now := leader(t, home)
		return now != "" && now != was
	})

	third := replica()
	eventually(t, "the third one is ready", 30*time.Second, third.ready)
	was = leader(t, home)
	second.signal(syscall.SIGKILL)
	took := eventually(t, "the third one leads, after the lease of the killed one has expired", 20*time.Second, func() bool {
		now := leader(t, home)
		return now != "" && now != was
	})
	t.Logf("it took %s after a kill", took)
}

// leader returns the holder of the lease, or "" if the lease was released.
func leader(t *testing.T, namespace string) string {
	t.Helper()
	lease := &coordinationv1.Lease{}
	err := administrator.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "operator.hashmark.dev"}, lease)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return ptr.Deref(lease.Spec.HolderIdentity, "")
}
