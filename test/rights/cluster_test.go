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

// logs are the API server's audit log and what was put aside of it when it grew
// too long, on the local cluster.
const logs = "/var/lib/hashmark-cluster/logs/audit*.log"

// Run last: it reads what the end-to-end suite, and the demo before it, made the
// operator ask for.
func TestTheOperatorUsesTheRightsItWasGrantedAndNoOthers(t *testing.T) {
	since, err := time.Parse(time.RFC3339, os.Getenv("HASHMARK_AUDIT_SINCE"))
	if err != nil {
		t.Fatalf("HASHMARK_AUDIT_SINCE says not when the chart was installed; run make test-e2e: %v", err)
	}
	balance := Hold(Granted(bindings(t), "hashmark-system", "hashmark-operator"), requests(t, since))
	for _, request := range balance.Outside {
		t.Errorf("no role of the chart's allows what the operator asked: %s", request)
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

// bindings are those of the cluster.
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

// requests are all of the operator's since a moment.
func requests(t *testing.T, since time.Time) []Request {
	t.Helper()
	files, err := filepath.Glob(logs)
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no audit log at %s: %v", logs, err)
	}
	var all []Request
	for _, name := range files {
		all = append(all, requestsOf(t, name, since)...)
	}
	if len(all) == 0 {
		t.Fatalf("the audit log tells of no request of the operator's since %s", since)
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

// What nobody should have to fear of the operator, in its own namespace or in
// another, in the words of kubectl auth can-i --list.
func TestTheOperatorHasNoRightThatNobodyShouldFear(t *testing.T) {
	feared := regexp.MustCompile(`^(\*|secrets|configmaps|pods/(exec|log|attach|portforward|proxy|ephemeralcontainers)|nodes|(cluster)?role(binding)?s)(\.|/|$)`)
	for _, namespace := range []string{"hashmark-system", "hashmark-demo", "default"} {
		command := exec.CommandContext(t.Context(), "kubectl", "auth", "can-i", "--list", "--namespace="+namespace,
			"--as=system:serviceaccount:hashmark-system:hashmark-operator")
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		resources := firstWords(string(out))
		if !slices.Contains(resources, "sizingexperiments.hashmark.dev") {
			t.Errorf("in %s the operator may not even read experiments:\n%s", namespace, out)
		}
		for _, resource := range resources {
			if feared.MatchString(resource) {
				t.Errorf("in %s the operator has a right on %s:\n%s", namespace, resource, out)
			}
		}
	}
}

// firstWords are those of each line of a table that has one in the first column.
func firstWords(table string) []string {
	var all []string
	for line := range strings.Lines(table) {
		if word, _, _ := strings.Cut(line, " "); word != "" {
			all = append(all, word)
		}
	}
	return all
}
