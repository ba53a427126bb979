//go:build integration

package integration

import (
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
