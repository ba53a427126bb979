// Package config_test tests what is installed: the rights of the operator and of users,
// the operator's pod, and the samples.
package config_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// roles reads all Roles and ClusterRoles of a file.
func roles(t *testing.T, file string) []rbacv1.ClusterRole {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("rbac", file))
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), len(content))
	var found []rbacv1.ClusterRole
	for {
		var raw runtime.RawExtension
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		var role rbacv1.ClusterRole
		if err := sigsyaml.Unmarshal(raw.Raw, &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind == "ClusterRole" || role.Kind == "Role" {
			found = append(found, role)
		}
	}
}

func TestUsersOnlyReadTrialsAndNeverWriteAStatus(t *testing.T) {
	reading := []string{"get", "list", "watch"}
	users := roles(t, "user_roles.yaml")
	if len(users) != 2 {
		t.Fatalf("found %d roles, want view and edit", len(users))
	}
	for _, role := range users {
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					if resource != "sizingexperiments" && !slices.Contains(reading, verb) {
						t.Errorf("%s may %s %s", role.Name, verb, resource)
					}
				}
			}
		}
	}
}

func TestTheOperatorsPodPassesTheRestrictedPodSecurityStandard(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("manager", "deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	if err := sigsyaml.UnmarshalStrict(content, &deployment); err != nil {
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

func TestSamplesUseOnlyFieldsThatExist(t *testing.T) {
	samples, err := filepath.Glob("samples/*.yaml")
	if err != nil || len(samples) == 0 {
		t.Fatalf("found no samples: %v", err)
	}
	for _, sample := range samples {
		content, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		if err := sigsyaml.UnmarshalStrict(content, &v1alpha1.SizingExperiment{}); err != nil {
			t.Errorf("%s: %v", sample, err)
		}
	}
}
