package rights

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func rule(group string, resources, verbs []string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs, ResourceNames: names}
}

func subject(namespace, name string) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}}
}

// some has bindings of the account "worker" in "home", and of others.
var some = Bindings{
	ClusterRoles: []rbacv1.ClusterRole{
		{ObjectMeta: metav1.ObjectMeta{Name: "wide"}, Rules: []rbacv1.PolicyRule{rule("batch", []string{"jobs", "jobs/status"}, []string{"get", "list"})}},
		{ObjectMeta: metav1.ObjectMeta{Name: "shared"}, Rules: []rbacv1.PolicyRule{rule("", []string{"pods"}, []string{"get"})}},
	},
	ClusterRoleBindings: []rbacv1.ClusterRoleBinding{
		{Subjects: subject("home", "worker"), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "wide"}},
		{Subjects: subject("elsewhere", "worker"), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "shared"}},
		{Subjects: subject("home", "worker"), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "gone"}},
	},
	Roles: []rbacv1.Role{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "home", Name: "own"}, Rules: []rbacv1.PolicyRule{rule("coordination.k8s.io", []string{"leases"}, []string{"update"}, "one", "two")}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "own"}, Rules: []rbacv1.PolicyRule{rule("", []string{"secrets"}, []string{"get"})}},
	},
	RoleBindings: []rbacv1.RoleBinding{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "home"}, Subjects: subject("", "worker"), RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "own"}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "guest"}, Subjects: subject("home", "worker"), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "shared"}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "other"}, Subjects: subject("", "worker"), RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "own"}},
	},
}

func TestRightsAreThoseOfEveryRoleBoundToTheAccount(t *testing.T) {
	want := []Right{
		{Role: "ClusterRole/shared", Namespace: "guest", Resource: "pods", Verb: "get"},
		{Role: "ClusterRole/wide", Group: "batch", Resource: "jobs", Verb: "get"},
		{Role: "ClusterRole/wide", Group: "batch", Resource: "jobs", Verb: "list"},
		{Role: "ClusterRole/wide", Group: "batch", Resource: "jobs/status", Verb: "get"},
		{Role: "ClusterRole/wide", Group: "batch", Resource: "jobs/status", Verb: "list"},
		{Role: "Role/own", Namespace: "home", Group: "coordination.k8s.io", Resource: "leases", Verb: "update", Name: "one"},
		{Role: "Role/own", Namespace: "home", Group: "coordination.k8s.io", Resource: "leases", Verb: "update", Name: "two"},
	}
	if diff := cmp.Diff(want, Granted(some, "home", "worker")); diff != "" {
		t.Error(diff)
	}
}

func TestARightCoversWhatItNamesAndNothingElse(t *testing.T) {
	jobs := Right{Group: "batch", Resource: "jobs", Verb: "list"}
	for _, tt := range []struct {
		name    string
		right   Right
		request Request
		want    bool
	}{
		{"the same verb on the same resource", jobs, Request{Verb: "list", Group: "batch", Resource: "jobs"}, true},
		{"a right without a namespace applies to all", jobs, Request{Verb: "list", Group: "batch", Resource: "jobs", Namespace: "a"}, true},
		{"a watch is not a list", jobs, Request{Verb: "watch", Group: "batch", Resource: "jobs"}, false},
		{"another group's resource of that name", jobs, Request{Verb: "list", Group: "example.org", Resource: "jobs"}, false},
		{"a subresource is a resource of its own", jobs, Request{Verb: "list", Group: "batch", Resource: "jobs/status"}, false},
		{"a subresource does not cover its resource", Right{Resource: "pods/log", Verb: "get"}, Request{Verb: "get", Resource: "pods"}, false},
		{"a right in a namespace applies there", Right{Namespace: "a", Resource: "pods", Verb: "get"}, Request{Verb: "get", Resource: "pods", Namespace: "a"}, true},
		{"and not in another", Right{Namespace: "a", Resource: "pods", Verb: "get"}, Request{Verb: "get", Resource: "pods", Namespace: "b"}, false},
		{"and not to all namespaces at once", Right{Namespace: "a", Resource: "pods", Verb: "list"}, Request{Verb: "list", Resource: "pods"}, false},
		{"a right on one object applies to that", Right{Resource: "pods", Verb: "get", Name: "x"}, Request{Verb: "get", Resource: "pods", Name: "x"}, true},
		{"and not to another", Right{Resource: "pods", Verb: "get", Name: "x"}, Request{Verb: "get", Resource: "pods", Name: "y"}, false},
		{"and not to all objects", Right{Resource: "pods", Verb: "list", Name: "x"}, Request{Verb: "list", Resource: "pods"}, false},
		{"a star is every group, resource and verb", Right{Group: "*", Resource: "*", Verb: "*"}, Request{Verb: "patch", Group: "batch", Resource: "jobs/status"}, true},
		{"a star before a subresource covers that of every resource", Right{Resource: "*/scale", Verb: "get"}, Request{Verb: "get", Resource: "pods/scale"}, true},
		{"and no other subresource", Right{Resource: "*/scale", Verb: "get"}, Request{Verb: "get", Resource: "pods/log"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.right.covers(tt.request); got != tt.want {
				t.Errorf("%s covers %s: %t", tt.right, tt.request, got)
			}
		})
	}
}
