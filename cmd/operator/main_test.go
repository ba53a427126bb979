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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/chart"
)

// beTheOperator is an environment variable that makes this test's binary run as the operator,
// so that tests can start it, send it signals and kill it.
const beTheOperator = "HASHMARK_TEST_BE_THE_OPERATOR"

// The API server that the tests of this package share, a client with all rights, and its audit
// log.
var (
	environment   *envtest.Environment
	administrator client.Client
	auditLog      string
)

func TestMain(m *testing.M) {
	if os.Getenv(beTheOperator) != "" {
		main()
		return
	}
	code, err := runAgainstAPIServer(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// runAgainstAPIServer starts the API server, runs the tests, and stops the server
// even if they fail.
func runAgainstAPIServer(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "operator-audit-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	policy := filepath.Join(dir, "policy.yaml")
	auditLog = filepath.Join(dir, "audit.log")
	if err := os.WriteFile(policy, []byte(`{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}`), 0o600); err != nil {
		return 0, err
	}
	started, config, err := apiserver.Start(definitions, func(server *envtest.APIServer) {
		server.Configure().Set("audit-policy-file", policy).Set("audit-log-path", auditLog)
	})
	if err != nil {
		return 0, err
	}
	environment = started
	defer func() { err = errors.Join(err, environment.Stop()) }()
	if administrator, err = client.New(config, client.Options{Scheme: newScheme()}); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// definitions is the folder of the CRDs, relative to this package.
var definitions = filepath.Join("..", "..", "config", "crd")

// namespace creates a namespace for a test and returns its name.
func namespace(t *testing.T, name string) string {
	t.Helper()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}
	create(t, made)
	return made.Name
}

func create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := administrator.Create(t.Context(), object); err != nil {
			t.Fatalf("creating %T: %v", object, err)
		}
	}
}

// user creates a user without rights, and returns the path of its kubeconfig.
func user(t *testing.T, name string) (kubeconfig string) {
	t.Helper()
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

// rules returns the rules of the first role in one of the chart's templates of rights.
func rules(t *testing.T, template string) []rbacv1.PolicyRule {
	t.Helper()
	role := &rbacv1.ClusterRole{}
	if err := chart.Decode("rbac/"+template, role); err != nil {
		t.Fatal(err)
	}
	if len(role.Rules) == 0 {
		t.Fatalf("%s does not start with a role", template)
	}
	return role.Rules
}

// grant gives a user rights in one namespace.
func grant(t *testing.T, user, namespace string, rules []rbacv1.PolicyRule) {
	t.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "test-"}, Rules: rules}
	create(t, role)
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
	})
}

// grantEverywhere gives a user rights in all namespaces until the test ends.
func grantEverywhere(t *testing.T, user string, rules []rbacv1.PolicyRule) {
	t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}, Rules: rules}
	create(t, role)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
	}
	create(t, binding)
	t.Cleanup(func() {
		_ = administrator.Delete(context.Background(), binding)
		_ = administrator.Delete(context.Background(), role)
	})
}
