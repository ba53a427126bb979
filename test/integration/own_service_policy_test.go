//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ownRefusal is what a user without the permission is told.
const ownRefusal = "spec.service.own runs an image of your choice, which you have no permission for in this namespace; " +
	"ask an administrator for the verb use-own-service on sizingexperiments.hashmark.dev"

const (
	inA = `metadata: {namespace: team-a}`
	// unbounded is how an own service works, which an experiment must say.
	unbounded = `spec: {matrix: {concurrency: [{mode: Unbounded}]}}`
	own       = `spec: {service: {own: {image: registry.example/login, command: [/app], port: 8080, ready: {path: /healthz},
		login: {steps: [{path: /login}], wrong: {status: [401]}}}}}`
)

// TestTheOwnServicePolicy tests what the chart's policy of own services allows.
func TestTheOwnServicePolicy(t *testing.T) {
	grantRights(t)
	inTeamA(t)
	grantOwnService(t)
	installTemplate(t, "own-service/policy.yaml", "--set=loginService.requirePermission=true")
	waitUntilInForce(t, ownExperiment.with(t, inA), ownRefusal)
	t.Run("create", ownServiceOnCreations)
	t.Run("update", ownServiceOnUpdates)
}

// grantOwnService grants the permission in one namespace, as docs/security.md does.
func grantOwnService(t *testing.T) {
	t.Helper()
	keep(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "use-own-service"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"hashmark.dev"}, Resources: []string{"sizingexperiments"}, Verbs: []string{"use-own-service"}},
	}})
	keep(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "use-own-service", Namespace: "team-a"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "use-own-service"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: permitted}},
	})
}

func ownServiceOnCreations(t *testing.T) {
	for name, test := range map[string]struct {
		by     string
		object manifest
		change string
		want   string
	}{
		"a user can't run a service of their own":   {by: editor, object: ownExperiment, want: ownRefusal},
		"a user can run Hashmark's":                 {by: editor, object: plainExperiment, change: `spec: {service: {memoryLimit: 64Mi}}`},
		"a user can leave the service out":          {by: editor, object: plainExperiment},
		"a user with the permission can":            {by: permitted, object: ownExperiment},
		"an administrator can":                      {by: administrator, object: ownExperiment},
		"the operator plans trials without it":      {by: operator, object: plainTrial, change: own},
		"a user can't write such a trial by itself": {editor, plainTrial, own, "cannot create resource \"sizingtrials\""},
	} {
		t.Run(name, func(t *testing.T) {
			checkAnswer(t, as(t, test.by).Create(t.Context(), test.object.with(t, inA, test.change), client.DryRunAll), test.want)
		})
	}
	t.Run("an object that is applied is created, too", func(t *testing.T) {
		checkAnswer(t, as(t, editor).Apply(t.Context(), client.ApplyConfigurationFromUnstructured(ownExperiment.with(t, inA)),
			client.FieldOwner("test"), client.DryRunAll), ownRefusal)
	})
	t.Run("the permission holds in its namespace only", func(t *testing.T) {
		checkAnswer(t, as(t, permitted).Create(t.Context(), ownExperiment.with(t), client.DryRunAll), ownRefusal)
	})
}

// ownServiceOnUpdates edits experiments that have not begun, with an own service and with Hashmark's.
func ownServiceOnUpdates(t *testing.T) {
	keep(t, ownExperiment.with(t, inA, `metadata: {name: own}`))
	keep(t, plainExperiment.with(t, inA, unbounded, `metadata: {name: ours}`))
	const otherImage = `{"spec":{"service":{"own":{"image":"registry.example/mine"}}}}`
	for name, test := range map[string]struct {
		by, of string
		patch  string
		status bool
		want   string
	}{
		"a user can label an experiment with an own service":   {by: editor, of: "own", patch: `{"metadata":{"labels":{"team":"a"}}}`},
		"a user can suspend it":                                {by: editor, of: "own", patch: `{"spec":{"suspend":true}}`},
		"a user can cancel it":                                 {by: editor, of: "own", patch: `{"spec":{"cancel":true}}`},
		"a user can keep it by a finalizer":                    {by: editor, of: "own", patch: `{"metadata":{"finalizers":["example.com/mine"]}}`},
		"a user can measure more with it":                      {by: editor, of: "own", patch: `{"spec":{"matrix":{"cpuLimits":[1,2]},"service":{"replicas":2}}}`},
		"a user can replace it by Hashmark's":                  {by: editor, of: "own", patch: `{"spec":{"service":{"own":null}}}`},
		"the operator writes its status":                       {by: operator, of: "own", patch: `{"status":{"observedGeneration":1}}`, status: true},
		"a user can't exchange the image":                      {by: editor, of: "own", patch: otherImage, want: ownRefusal},
		"a user can't exchange the command":                    {by: editor, of: "own", patch: `{"spec":{"service":{"own":{"command":["/sh"]}}}}`, want: ownRefusal},
		"a user can't replace Hashmark's service by their own": {by: editor, of: "ours", patch: string(asJSON(t, own)), want: ownRefusal},
		"a user can edit an experiment without one":            {by: editor, of: "ours", patch: `{"spec":{"matrix":{"costs":[10,11]}}}`},
		"a user with the permission can exchange the image":    {by: permitted, of: "own", patch: otherImage},
		"a user with the permission can bring their own":       {by: permitted, of: "ours", patch: string(asJSON(t, own))},
	} {
		t.Run(name, func(t *testing.T) {
			object, patch := plainExperiment.with(t, inA, `metadata: {name: `+test.of+`}`), client.RawPatch(types.MergePatchType, []byte(test.patch))
			if test.status {
				checkAnswer(t, as(t, test.by).Status().Patch(t.Context(), object, patch, client.DryRunAll), test.want)
				return
			}
			checkAnswer(t, as(t, test.by).Patch(t.Context(), object, patch, client.DryRunAll), test.want)
		})
	}
}

// TestTheOwnSecretsPolicy tests that users can name only Secrets and ConfigMaps that they can read.
func TestTheOwnSecretsPolicy(t *testing.T) {
	installTemplate(t, "rbac/user_roles.yaml")
	inTeamA(t)
	grantKeys(t)
	installTemplate(t, "own-service/secrets.yaml", "--set=loginService.allowedImages={registry.example}")
	waitUntilInForce(t, ownExperiment.with(t, inA, withSecret("env", "other")), refusalOf("secrets/other"))
	keep(t, ownExperiment.with(t, inA, `metadata: {name: with-keys}`, withSecret("env", "mine")))
	t.Run("create", secretsOnCreations)
	t.Run("update", secretsOnUpdates)
}

func refusalOf(object string) string {
	return "spec.service.own names " + object + ", which you can't read in this namespace; name another, or ask an administrator for the right to get it"
}

// grantKeys lets two users write experiments, and one of them read two objects: Kubernetes' own edit role reads all Secrets.
func grantKeys(t *testing.T) {
	t.Helper()
	keep(t, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "keys", Namespace: "team-a"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"mine"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"settings"}, Verbs: []string{"get"}},
	}})
	keep(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "experiments", Namespace: "team-a"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "hashmark-edit"},
		Subjects: []rbacv1.Subject{
			{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: editor}, {APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: permitted},
		},
	})
	keep(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "keys", Namespace: "team-a"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "keys"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: editor}},
	})
}

// withSecret names a Secret at one of the places where a key can be named.
func withSecret(place, name string) string {
	key := `{secretKeyRef: {name: ` + name + `, key: password}}`
	variables := `[{name: A, value: a}, {name: B, valueFrom: ` + key + `}]`
	companion := func(n string) string {
		return `{name: ` + n + `, image: registry.example/db, command: [/db], port: 5432`
	}
	own := map[string]string{
		"env":             `env: ` + variables,
		"files":           `files: [{path: /etc/a, content: a}, {path: /etc/b, contentFrom: ` + key + `}]`,
		"first companion": `companions: [` + companion("a") + `, env: ` + variables + `}]`,
		"third companion": `companions: [` + companion("a") + `}, ` + companion("b") + `}, ` + companion("c") + `, env: ` + variables + `}]`,
	}[place]
	return `spec: {service: {own: {` + own + `}}}`
}

func secretsOnCreations(t *testing.T) {
	settings := func(name string) string {
		return `spec: {service: {own: {env: [{name: A, valueFrom: {configMapKeyRef: {name: ` + name + `, key: a}}}]}}}`
	}
	many := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("{name: A%d, valueFrom: {secretKeyRef: {name: s%d, key: a}}}, {name: B%d, valueFrom: {secretKeyRef: {name: s%d, key: b}}}", i, i, i, i))
		}
		return `spec: {service: {own: {env: [` + strings.Join(all, ", ") + `]}}}`
	}
	for name, test := range map[string]struct{ by, change, want string }{
		"a Secret that they can read":               {editor, withSecret("env", "mine"), ""},
		"a ConfigMap that they can read":            {editor, settings("settings"), ""},
		"a Secret that they can't read":             {editor, withSecret("env", "other"), refusalOf("secrets/other")},
		"a Secret with the name of their ConfigMap": {editor, withSecret("env", "settings"), refusalOf("secrets/settings")},
		"a ConfigMap that they can't read":          {editor, settings("mine"), refusalOf("configmaps/mine")},
		"a Secret that they can't read in a file":   {editor, withSecret("files", "other"), refusalOf("secrets/other")},
		"a Secret of theirs in a file":              {editor, withSecret("files", "mine"), ""},
		"a Secret that they can't read, the first":  {editor, withSecret("first companion", "other"), refusalOf("secrets/other")},
		"a Secret that they can't read, the third":  {editor, withSecret("third companion", "other"), refusalOf("secrets/other")},
		"a Secret of theirs in the third":           {editor, withSecret("third companion", "mine"), ""},
		"no key":                                    {editor, `{}`, ""},
		"an administrator's Secret":                 {administrator, withSecret("env", "other"), ""},
		"an administrator's 8 Secrets with 16 keys": {administrator, many(8), ""},
		"an administrator's 9 Secrets":              {administrator, many(9), "names more than 8 Secrets and ConfigMaps; put their keys into fewer"},
		"8 Secrets, the first unreadable to them":   {editor, many(8), refusalOf("secrets/s0")},
	} {
		t.Run(name, func(t *testing.T) {
			checkAnswer(t, as(t, test.by).Create(t.Context(), ownExperiment.with(t, inA, test.change), client.DryRunAll), test.want)
		})
	}
}

func secretsOnUpdates(t *testing.T) {
	for name, test := range map[string]struct{ by, patch, want string }{
		"a user can suspend an experiment with a Secret": {editor, `{"spec":{"suspend":true}}`, ""},
		"a user who can read it can change the command":  {editor, `{"spec":{"service":{"own":{"command":["/sh"]}}}}`, ""},
		"a user who can't can't change the command":      {permitted, `{"spec":{"service":{"own":{"command":["/sh"]}}}}`, refusalOf("secrets/mine")},
		"a user who can't can suspend it":                {permitted, `{"spec":{"suspend":true}}`, ""},
		"a user can't exchange the Secret":               {editor, string(asJSON(t, withSecret("env", "other"))), refusalOf("secrets/other")},
	} {
		t.Run(name, func(t *testing.T) {
			object := ownExperiment.with(t, inA, `metadata: {name: with-keys}`)
			patch := client.RawPatch(types.MergePatchType, []byte(test.patch))
			checkAnswer(t, as(t, test.by).Patch(t.Context(), object, patch, client.DryRunAll), test.want)
		})
	}
}
