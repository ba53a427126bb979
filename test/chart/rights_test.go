//go:build helm

package chart_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/hashmark-dev/hashmark/test/chart"
)

var update = flag.Bool("update", false, "write the golden files of this package")

// TestNoRoleGrantsMoreThanItIsKnownToGrant compares all rights of all roles with a golden
// file, so that no right is added or removed unnoticed.
func TestNoRoleGrantsMoreThanItIsKnownToGrant(t *testing.T) {
	objects, err := chart.Objects()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, object := range objects {
		if object.GetKind() != "ClusterRole" && object.GetKind() != "Role" {
			continue
		}
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
			t.Fatal(err)
		}
		if role.AggregationRule != nil {
			t.Errorf("%s takes in the rights of other roles", role.Name)
		}
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

func TestTheOperatorsPodPassesTheRestrictedPodSecurityStandard(t *testing.T) {
	var deployment appsv1.Deployment
	if err := chart.Decode("manager/deployment.yaml", &deployment); err != nil {
		t.Fatal(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pod := deployment.Spec.Template
	restricted := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	verdict := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec))
	if !verdict.Allowed {
		t.Errorf("refused: %s: %s", verdict.ForbiddenReason(), verdict.ForbiddenDetail())
	}
}
