package config_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

var update = flag.Bool("update", false, "write the golden files of this package")

// allRoles reads the roles of all files of config/rbac, so that roles in a new file are
// tested too.
func allRoles(t *testing.T) []rbacv1.ClusterRole {
	t.Helper()
	files, err := filepath.Glob("rbac/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []rbacv1.ClusterRole
	for _, file := range files {
		all = append(all, roles(t, filepath.Base(file))...)
	}
	if len(all) < 6 {
		t.Fatalf("found %d roles, want at least 6: the test looks in the wrong place", len(all))
	}
	return all
}

// TestNoRoleGrantsMoreThanItIsKnownToGrant compares all rights of all roles with a golden
// file, so that no right is added or removed unnoticed.
func TestNoRoleGrantsMoreThanItIsKnownToGrant(t *testing.T) {
	var lines []string
	for _, role := range allRoles(t) {
		for _, rule := range role.Rules {
			lines = append(lines, rights(role, rule)...)
		}
	}
	slices.Sort(lines)
	golden := filepath.Join("testdata", "rights.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(content)), "\n"), lines); diff != "" {
		t.Errorf("rights, compared with the reviewed ones; go test -update writes them (-want +got):\n%s", diff)
	}
}

// rights returns a line for each resource or path of a rule.
func rights(role rbacv1.ClusterRole, rule rbacv1.PolicyRule) []string {
	var about []string
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			about = append(about, strings.TrimSuffix(resource+"."+group, "."))
		}
	}
	var lines []string
	for _, what := range append(about, rule.NonResourceURLs...) {
		line := fmt.Sprintf("%s %s: %s: %s", role.Kind, role.Name, what, strings.Join(rule.Verbs, " "))
		if len(rule.ResourceNames) > 0 {
			line += " of " + strings.Join(rule.ResourceNames, " ")
		}
		lines = append(lines, line)
	}
	return lines
}

// TestNoRoleLeadsToAnother checks that no role, including those of users, has a right that
// leads to further rights.
func TestNoRoleLeadsToAnother(t *testing.T) {
	resources := []string{
		"*", "secrets", "configmaps", "nodes", "pods/exec", "pods/log", "pods/attach", "pods/portforward", "pods/ephemeralcontainers",
		"serviceaccounts/token", "roles", "rolebindings", "clusterroles", "clusterrolebindings", "users", "groups",
	}
	verbs := []string{"*", "escalate", "bind", "impersonate"}
	for _, role := range allRoles(t) {
		if role.AggregationRule != nil {
			t.Errorf("%s takes in the rights of other roles", role.Name)
		}
		for _, rule := range role.Rules {
			for _, has := range slices.Concat(rule.Resources, rule.APIGroups, rule.NonResourceURLs) {
				if slices.Contains(resources, has) {
					t.Errorf("%s has a right on %s: %v", role.Name, has, rule)
				}
			}
			for _, verb := range rule.Verbs {
				if slices.Contains(verbs, verb) {
					t.Errorf("%s may %s: %v", role.Name, verb, rule)
				}
			}
		}
	}
}
