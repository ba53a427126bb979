package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/chart"
)

// Definitions is the folder of the CRDs, from that of a package of two levels.
var Definitions = filepath.Join("..", "..", "config", "crd")

// Shared is the API server that the tests of a program share, with a client that has all rights.
type Shared struct {
	client.Client
	Environment *envtest.Environment
}

// Run starts the API server, runs the tests, stops it, and returns the exit code.
func (s *Shared) Run(m *testing.M) int {
	code, err := s.run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func (s *Shared) run(m *testing.M) (code int, err error) {
	started, rights, err := Start(Definitions, func(*envtest.APIServer) {})
	if err != nil {
		return 0, err
	}
	s.Environment = started
	defer func() { err = errors.Join(err, started.Stop()) }()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		return 0, err
	}
	if s.Client, err = client.New(rights, client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// Make creates objects.
func (s *Shared) Make(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := s.Create(t.Context(), object); err != nil {
			t.Fatalf("creating %T: %v", object, err)
		}
	}
}

// Namespace creates a namespace for a test, and returns its name.
func (s *Shared) Namespace(t *testing.T, prefix string) string {
	t.Helper()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix + "-"}}
	s.Make(t, made)
	return made.Name
}

// User creates a user without rights, and returns the path of its kubeconfig.
func (s *Shared) User(t *testing.T, name string) (kubeconfig string) {
	t.Helper()
	made, err := s.Environment.AddUser(envtest.User{Name: name}, nil)
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

// Grant gives a user rights in a namespace, or in all of them for "", until the test ends.
func (s *Shared) Grant(t *testing.T, user, namespace string, rules []rbacv1.PolicyRule) {
	t.Helper()
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	named := metav1.ObjectMeta{Namespace: namespace, GenerateName: "test-"}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}, Rules: rules}
	s.Make(t, role)
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}
	var binding client.Object = &rbacv1.RoleBinding{ObjectMeta: named, RoleRef: ref, Subjects: subjects}
	if namespace == "" {
		binding = &rbacv1.ClusterRoleBinding{ObjectMeta: named, RoleRef: ref, Subjects: subjects}
	}
	s.Make(t, binding)
	t.Cleanup(func() {
		_ = s.Delete(context.Background(), binding)
		_ = s.Delete(context.Background(), role)
	})
}

// rendered holds the chart's objects.
var rendered = sync.OnceValues(func() ([]*unstructured.Unstructured, error) { return chart.Objects() })

// Role returns the rules of a role of the chart.
func Role(t *testing.T, name string) []rbacv1.PolicyRule {
	t.Helper()
	objects, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	role := &rbacv1.ClusterRole{}
	for _, object := range objects {
		if object.GetName() == name && strings.HasSuffix(object.GetKind(), "Role") {
			err = runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, role)
		}
	}
	if err != nil || len(role.Rules) == 0 {
		t.Fatalf("the chart has no role %s: %v", name, err)
	}
	return role.Rules
}
