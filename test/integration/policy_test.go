//go:build integration

package integration

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/test/chart"
)

// The users whose requests the policy judges.
const (
	editor        = "a user with the cluster's edit role"
	permitted     = "a user with the edit role who can also use an own service in team-a"
	operator      = "system:serviceaccount:hashmark-system:hashmark-operator"
	administrator = "" // the test's own client
	// oneForAll is the user of a kube-controller-manager without
	// --use-service-account-credentials.
	oneForAll   = "system:kube-controller-manager"
	deployments = "system:serviceaccount:kube-system:deployment-controller"
	replicaSets = "system:serviceaccount:kube-system:replicaset-controller"
	jobs        = "system:serviceaccount:kube-system:job-controller"
	garbage     = "system:serviceaccount:kube-system:generic-garbage-collector"
	autoscaler  = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"
	stateful    = "system:serviceaccount:kube-system:statefulset-controller"
	sliceMaker  = "system:serviceaccount:kube-system:endpointslice-controller"
	mirror      = "system:serviceaccount:kube-system:endpointslicemirroring-controller"
	endpoints   = "system:serviceaccount:kube-system:endpoint-controller"
)

// The beginnings of the policy's refusals; "" is none.
const (
	reserved = "labels that start with hashmark.dev/ and names such as hm-0123456789 are reserved"
	spoils   = "this object belongs to a trial of Hashmark, and changing it would spoil the measurement"
	disturbs = "this object belongs to a trial of Hashmark, and a connection to it would disturb the measurement"
	leaves   = "this object belongs to a trial of Hashmark, and nothing would end its pods without it"
)

// TestTheAdmissionPolicy tests what the chart's admission policy allows. The policy is installed once,
// because it takes a moment to be in force.
func TestTheAdmissionPolicy(t *testing.T) {
	grantRights(t)
	inTeamA(t)
	attempt := attemptObjects(t)
	installTemplate(t, "admission/policy.yaml")
	waitUntilInForce(t, somePod.with(t, "metadata: {labels: {hashmark.dev/component: generator}}"), reserved)
	t.Run("the operator and Kubernetes' controllers can make an attempt", func(t *testing.T) {
		for by, objects := range attempt {
			for _, object := range objects {
				if err := as(t, by).Create(t.Context(), object); err != nil {
					t.Fatalf("%s %s by %s: %v", object.GetKind(), object.GetName(), by, err)
				}
			}
		}
	})
	t.Run("create", policyOnCreations)
	keep(t, somePod.with(t))
	keep(t, someDeployment.with(t))
	keep(t, someSlice.with(t))
	t.Run("update", policyOnUpdates)
	t.Run("delete", policyOnDeletions)
	t.Run("connect", policyOnConnections)
}

// install applies a file of config until the test ends.
func install(t *testing.T, file string) {
	t.Helper()
	for _, object := range objectsIn(t, filepath.Join(root, "config", file)) {
		keep(t, &object)
	}
}

// installTemplate applies what the chart renders of a template until the test ends.
func installTemplate(t *testing.T, template string, flags ...string) {
	t.Helper()
	objects, err := chart.Objects(append(flags, "--show-only=templates/"+template)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		keep(t, object)
	}
}

// keep creates an object until the test ends.
func keep(t *testing.T, object client.Object) {
	t.Helper()
	if err := apiClient.Create(t.Context(), object); err != nil {
		t.Fatalf("creating %s: %v", object.GetName(), err)
	}
	t.Cleanup(func() {
		if err := apiClient.Delete(context.Background(), object); err != nil {
			t.Errorf("deleting %s: %v", object.GetName(), err)
		}
	})
}

// objectsIn reads all objects of a file.
func objectsIn(t *testing.T, path string) []unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return objectsOf(t, string(content))
}

// grantRights installs the operator's rights and those of users. All users but the
// operator also get everything that the cluster's edit role grants and rights that an
// administrator could add, or that clusters before 1.22 have, so that only the policy can refuse them.
func grantRights(t *testing.T) {
	t.Helper()
	installTemplate(t, "rbac/operator_role.yaml")
	installTemplate(t, "rbac/user_roles.yaml")
	keep(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "added"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods/ephemeralcontainers", "pods/resize"}, Verbs: []string{"patch"}},
		{APIGroups: []string{"", "discovery.k8s.io"}, Resources: []string{"endpoints", "endpointslices"}, Verbs: []string{"create", "patch"}},
	}})
	// No controller is there to aggregate the edit role from these.
	for _, role := range []string{"system:aggregate-to-edit", "system:aggregate-to-view", "hashmark-edit", "hashmark-view", "added"} {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		}
		for _, user := range []string{editor, permitted, oneForAll, deployments, replicaSets, jobs, garbage, autoscaler, stateful, sliceMaker, mirror, endpoints} {
			binding.Subjects = append(binding.Subjects, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user})
		}
		keep(t, binding)
	}
}

// inTeamA makes sure that the namespace of these tests exists. It is never deleted, because
// no controller is there that would finish that.
func inTeamA(t *testing.T) {
	t.Helper()
	err := apiClient.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// attemptObjects returns the objects of an attempt, by who creates them: those that
// package objects builds, and what Kubernetes' controllers make of them.
func attemptObjects(t *testing.T) map[string][]*unstructured.Unstructured {
	t.Helper()
	made := map[string][]*unstructured.Unstructured{}
	for _, one := range objectsIn(t, filepath.Join(root, "internal", "objects", "testdata", "defaults.yaml")) {
		object := &one
		made[operator] = append(made[operator], object)
		switch object.GetKind() {
		case "Deployment":
			made[deployments] = append(made[deployments], replicaSet(object))
			made[replicaSets] = append(made[replicaSets], pod(object, "hm-84181b74b0-5f6d8-x2v4z"))
		case "Job":
			made[jobs] = append(made[jobs], pod(object, "hm-84181b74b0-k9q7c"))
		case "Service":
			made[sliceMaker] = append(made[sliceMaker], someSlice.with(t, slicedAs("hm-84181b74b0"), "metadata: {name: hm-84181b74b0-w7xk2}"))
			made[endpoints] = append(made[endpoints], someEndpoints.with(t, "metadata: {name: hm-84181b74b0}"))
		}
	}
	return made
}

// clients are the clients of users, whose discovery takes a moment.
var clients = map[string]client.Client{}

// as returns a client with the rights of a user.
func as(t *testing.T, user string) client.Client {
	t.Helper()
	if clients[user] == nil {
		found, err := newClient(configOf(user))
		if err != nil {
			t.Fatal(err)
		}
		clients[user] = found
	}
	return clients[user]
}

func configOf(user string) *rest.Config {
	config := rest.CopyConfig(restConfig)
	config.Impersonate.UserName = user
	return config
}

// waitUntilInForce waits until the API server refuses to let an editor create what a policy forbids.
func waitUntilInForce(t *testing.T, forbidden *unstructured.Unstructured, want string) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = as(t, editor).Create(ctx, forbidden.DeepCopy(), client.DryRunAll)
		return last != nil && strings.Contains(last.Error(), want), nil
	})
	if err != nil {
		t.Fatalf("the policy is not in force: %v; the last answer was: %v", err, last)
	}
}

// checkAnswer compares the API server's answer with a refusal; "" means that it accepts.
func checkAnswer(t *testing.T, answer error, want string) {
	t.Helper()
	switch {
	case want == "" && answer != nil:
		t.Errorf("refused: %v", answer)
	case want != "" && (answer == nil || !strings.Contains(answer.Error(), want)):
		t.Errorf("the answer is %v, want a refusal with: %s", answer, want)
	}
}
