//go:build integration

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/chart"
)

// beThePlugin is an environment variable. If it is set, the test binary runs as the
// plugin, so that tests can start and interrupt it.
const beThePlugin = "HASHMARK_TEST_BE_THE_PLUGIN"

// The API server of this package, and a client with all rights.
var (
	environment   *envtest.Environment
	administrator client.Client
)

func TestMain(m *testing.M) {
	if os.Getenv(beThePlugin) != "" {
		main()
		return
	}
	code, err := runAgainstAPIServer(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubectl-hashmark:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// runAgainstAPIServer starts the API server, runs the tests, and stops it.
func runAgainstAPIServer(m *testing.M) (code int, err error) {
	started, config, err := apiserver.Start(filepath.Join("..", "..", "config", "crd"), func(*envtest.APIServer) {})
	if err != nil {
		return 0, err
	}
	environment = started
	defer func() { err = errors.Join(err, environment.Stop()) }()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return 0, err
	}
	if administrator, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := administrator.Create(t.Context(), object); err != nil {
			t.Fatalf("making %T: %v", object, err)
		}
	}
}

// namespace creates a namespace for a test.
func namespace(t *testing.T) string {
	t.Helper()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "cli-"}}
	create(t, made)
	return made.Name
}

// userWith creates a user with the named roles of the chart in one namespace and no other
// rights. It returns the kubeconfig.
func userWith(t *testing.T, namespace string, roles ...string) (kubeconfig string) {
	t.Helper()
	name := "user-of-" + namespace
	for _, role := range roles {
		granted := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "test-"}, Rules: chartRoles(t)[role]}
		if len(granted.Rules) == 0 {
			t.Fatalf("the chart has no role %s", role)
		}
		create(t, granted)
		create(t, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: granted.Name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: granted.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
		})
	}
	made, err := environment.AddUser(envtest.User{Name: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	content, err := made.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// chartRoles returns the user roles as the chart renders them.
func chartRoles(t *testing.T) map[string][]rbacv1.PolicyRule {
	t.Helper()
	first, second := &rbacv1.ClusterRole{}, &rbacv1.ClusterRole{}
	if err := chart.Decode("rbac/user_roles.yaml", first, second); err != nil {
		t.Fatal(err)
	}
	return map[string][]rbacv1.PolicyRule{first.Name: first.Rules, second.Name: second.Rules}
}

// experiment waits for the experiment of the namespace and returns it.
func experiment(t *testing.T, namespace string) *v1alpha1.SizingExperiment {
	t.Helper()
	list := &v1alpha1.SizingExperimentList{}
	eventually(t, "there is an experiment", func(ctx context.Context) bool {
		return administrator.List(ctx, list, client.InNamespace(namespace)) == nil && len(list.Items) == 1
	})
	return &list.Items[0]
}
