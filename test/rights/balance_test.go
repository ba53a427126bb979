package rights

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestRequestsAreHeldAgainstRights(t *testing.T) {
	var (
		list          = Right{Role: "a", Resource: "pods", Verb: "list"}
		inHere        = Right{Role: "b", Namespace: "here", Resource: "pods", Verb: "list"}
		remove        = Right{Role: "a", Resource: "pods", Verb: "delete"}
		covered       = Request{Verb: "list", Resource: "pods", Namespace: "here"}
		uncovered     = Request{Verb: "watch", Resource: "pods"}
		refused       = Request{Verb: "get", Resource: "secrets", Forbidden: true}
		discover      = Request{Verb: "get", Path: "/apis"}
		forbiddenPath = Request{Verb: "get", Path: "/metrics", Forbidden: true}
	)
	got := Hold([]Right{list, inHere, remove}, []Request{covered, uncovered, refused, discover, forbiddenPath})
	want := Balance{
		Outside:   []Request{uncovered, refused},
		Forbidden: []Request{refused, forbiddenPath},
		Idle:      []Right{remove},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestIdleRightsAreThoseThatTheListExcuses(t *testing.T) {
	var (
		here  = Right{Role: "a", Namespace: "here", Resource: "pods", Verb: "list"}
		there = Right{Role: "a", Namespace: "there", Resource: "pods", Verb: "list"}
		watch = Right{Role: "a", Resource: "pods", Verb: "watch"}
		other = Right{Role: "b", Resource: "pods", Verb: "list"}
	)
	unexplained, needless := Explain([]Right{here, there, other}, []Excuse{
		{Role: "a", Resource: "pods", Verbs: []string{"list", "watch"}, Reason: "why"},
		{Role: "a", Resource: "jobs", Verbs: []string{"get"}, Reason: "a race decides", Sometimes: true},
	})
	if diff := cmp.Diff([]Right{other}, unexplained); diff != "" {
		t.Errorf("unexplained: %s", diff)
	}
	if diff := cmp.Diff([]Right{watch}, needless); diff != "" {
		t.Errorf("needless: %s", diff)
	}
}

func TestAListWithoutReasonsIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"every entry gives its reason", "- {role: a, resource: pods, verbs: [get]}\n", "needs role, resource, verbs and reason"},
		{"every entry names verbs", "- {role: a, resource: pods, reason: x}\n", "needs role, resource, verbs and reason"},
		{"an unknown field is an error", "- {role: a, resource: pods, verb: get, reason: x}\n", "parsing the list of idle rights"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parseExcuses([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A right that is no longer granted needs no excuse. This is checked without a cluster.
func TestEveryRightOfTheListIsGranted(t *testing.T) {
	excuses, err := Excuses()
	if err != nil {
		t.Fatal(err)
	}
	granted := Granted(manifests(t), "hashmark-system", "hashmark-operator")
	if len(granted) == 0 {
		t.Fatal("config/rbac grants the operator no rights")
	}
	for i := range excuses {
		excuses[i].Sometimes = false // a right that is not granted is always idle
	}
	if _, needless := Explain(granted, excuses); len(needless) > 0 {
		t.Errorf("rights.yaml excuses rights that are not granted: %v", needless)
	}
}

// manifests reads the roles and bindings of config/rbac. Namespaced ones belong to the
// release's namespace.
func manifests(t *testing.T) Bindings {
	t.Helper()
	files, err := filepath.Glob("../../config/rbac/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("config/rbac is empty: %v", err)
	}
	var b Bindings
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			b.add(t, []byte(document))
		}
	}
	for i := range b.Roles {
		b.Roles[i].Namespace = "hashmark-system"
	}
	for i := range b.RoleBindings {
		b.RoleBindings[i].Namespace = "hashmark-system"
	}
	return b
}

// add adds one document of a manifest if it is a role or a binding.
func (b *Bindings) add(t *testing.T, document []byte) {
	t.Helper()
	var kind struct{ Kind string }
	if err := yaml.Unmarshal(document, &kind); err != nil {
		t.Fatal(err)
	}
	switch kind.Kind {
	case "ClusterRole":
		b.ClusterRoles = append(b.ClusterRoles, parsed(t, document, b.ClusterRoles))
	case "ClusterRoleBinding":
		b.ClusterRoleBindings = append(b.ClusterRoleBindings, parsed(t, document, b.ClusterRoleBindings))
	case "Role":
		b.Roles = append(b.Roles, parsed(t, document, b.Roles))
	case "RoleBinding":
		b.RoleBindings = append(b.RoleBindings, parsed(t, document, b.RoleBindings))
	}
}

// parsed parses a document as an element of the list's type.
func parsed[T any](t *testing.T, document []byte, _ []T) T {
	t.Helper()
	var object T
	if err := yaml.Unmarshal(document, &object); err != nil {
		t.Fatal(err)
	}
	return object
}
