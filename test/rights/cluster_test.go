//go:build e2e

package rights

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/hashmark-dev/hashmark/test/lab"
)

// logs matches the API server's audit log and its rotated files, on the local cluster.
const logs = "/var/lib/hashmark-cluster/logs/audit*.log"

// Run this last: it reads the requests that the end-to-end suite, and the demo before it,
// caused.
func TestTheOperatorUsesTheRightsItWasGrantedAndNoOthers(t *testing.T) {
	since, err := time.Parse(time.RFC3339, os.Getenv("HASHMARK_AUDIT_SINCE"))
	if err != nil {
		t.Fatalf("HASHMARK_AUDIT_SINCE is not the time when the chart was installed; run make test-e2e: %v", err)
	}
	balance := Hold(Granted(bindings(t), "hashmark-system", "hashmark-operator"), requests(t, since))
	for _, request := range balance.Outside {
		t.Errorf("no role of the chart allows this request of the operator: %s", request)
	}
	for _, request := range balance.Forbidden {
		t.Errorf("the operator was refused: %s", request)
	}
	excuses, err := Excuses()
	if err != nil {
		t.Fatal(err)
	}
	unexplained, needless := Explain(balance.Idle, excuses)
	for _, right := range unexplained {
		t.Errorf("granted, never used, and not in rights.yaml: %s", right)
	}
	for _, right := range needless {
		t.Errorf("in rights.yaml, and used: %s", right)
	}
}

// bindings returns the roles and bindings of the cluster.
func bindings(t *testing.T) Bindings {
	t.Helper()
	cluster, err := lab.Connect()
	if err != nil {
		t.Fatal(err)
	}
	var (
		clusterRoles        rbacv1.ClusterRoleList
		clusterRoleBindings rbacv1.ClusterRoleBindingList
		roles               rbacv1.RoleList
		roleBindings        rbacv1.RoleBindingList
	)
	for _, err := range []error{
		cluster.List(t.Context(), &clusterRoles), cluster.List(t.Context(), &clusterRoleBindings),
		cluster.List(t.Context(), &roles), cluster.List(t.Context(), &roleBindings),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return Bindings{ClusterRoles: clusterRoles.Items, ClusterRoleBindings: clusterRoleBindings.Items, Roles: roles.Items, RoleBindings: roleBindings.Items}
}

// requests returns all requests of the operator since a time.
func requests(t *testing.T, since time.Time) []Request {
	t.Helper()
	files, err := filepath.Glob(logs)
	if err != nil || len(files) == 0 {
		t.Fatalf("found no audit log at %s: %v", logs, err)
	}
	var all []Request
	for _, name := range files {
		all = append(all, requestsOf(t, name, since)...)
	}
	if len(all) == 0 {
		t.Fatalf("the audit log has no request of the operator since %s", since)
	}
	return all
}

func requestsOf(t *testing.T, name string, since time.Time) []Request {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	all, err := Read(file, "system:serviceaccount:hashmark-system:hashmark-operator", since)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return all
}

// The operator must not have rights that would be dangerous, in its own namespace or in
// another, as listed by kubectl auth can-i --list.
func TestTheOperatorHasNoRightThatNobodyShouldFear(t *testing.T) {
	dangerous := regexp.MustCompile(`^(\*|secrets|configmaps|pods/(exec|log|attach|portforward|proxy|ephemeralcontainers)|nodes|(cluster)?role(binding)?s)(\.|/|$)`)
	for _, namespace := range []string{"hashmark-system", "hashmark-demo", "default"} {
		command := exec.CommandContext(t.Context(), "kubectl", "auth", "can-i", "--list", "--namespace="+namespace,
			"--as=system:serviceaccount:hashmark-system:hashmark-operator")
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		resources := firstWords(string(out))
		if !slices.Contains(resources, "sizingexperiments.hashmark.dev") {
			t.Errorf("in %s the operator can't even read experiments:\n%s", namespace, out)
		}
		for _, resource := range resources {
			if dangerous.MatchString(resource) {
				t.Errorf("in %s the operator has a right on %s:\n%s", namespace, resource, out)
			}
		}
	}
}

// firstWords returns the first column of a table, without empty cells.
func firstWords(table string) []string {
	var all []string
	for line := range strings.Lines(table) {
		if word, _, _ := strings.Cut(line, " "); word != "" {
			all = append(all, word)
		}
	}
	return all
}
