//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Everything that reinstalls the chart is in this test, so that the demo's release is removed
// and restored only once.
func TestTheChartOnACluster(t *testing.T) {
	values := withoutTheDemo(t)
	t.Run("from install to takeover", func(t *testing.T) { fromInstallToTakeover(t, "helm", values) })
	t.Run("namespaced, with two replicas, by Helm 3", func(t *testing.T) { staysInItsNamespaces(t, helm3(t), values) })
}

// fromInstallToTakeover tests the life cycle of a release, in a namespace that enforces restricted pods and the rules of a
// company.
func fromInstallToTakeover(t *testing.T, helm, values string) {
	companyRules(t)
	r := install(t, helm, values, "--values", "../chart/values/company.yaml")
	limits(t, r.namespace)
	t.Run("its own test passes", func(t *testing.T) {
		r.must(t, "test", "--timeout=5m")
	})
	watched := watchGenerators(t)
	e := tiny(namespace(t), "upgraded", costs(4, 6), longer(10))
	limits(t, e.Namespace)
	e.Labels = map[string]string{"business-owner": "team-a"}
	create(t, e)
	t.Run("an upgrade under load loses and repeats nothing", func(t *testing.T) {
		underLoad(t, e)
		inherits(t, e)
		r.upgradeUnderLoad(t, e)
		eachMeasuredOnce(t, e, watched)
		notAltered(t, e)
	})
	t.Run("results outlive the release and are taken over", func(t *testing.T) {
		finished(t, e, time.Second)
		before := versions(t, e.Namespace)
		r.must(t, "uninstall", "--wait")
		gone(t, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: "hashmark-operator"}})
		gone(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "hashmark-operator"}})
		r.install(t)
		// Once it has reconciled a new object, it has reconciled all of them.
		fresh := create(t, tiny(namespace(t), "fresh", func(s *v1beta1.SizingExperimentSpec) { s.Suspend = ptr.To(true) }))
		until(t, time.Minute, "the new operator to work", func() (bool, string) {
			refresh(t, fresh)
			return fresh.Status.Phase == v1beta1.ExperimentSuspended, string(fresh.Status.Phase)
		})
		if diff := cmp.Diff(before, versions(t, e.Namespace)); diff != "" {
			t.Errorf("the objects were changed (-before +after):\n%s", diff)
		}
	})
}

// upgradeUnderLoad upgrades a release while an experiment is under load, and waits for the experiment's end.
func (r *release) upgradeUnderLoad(t *testing.T, e *v1beta1.SizingExperiment) {
	t.Helper()
	underLoad(t, e)
	before := r.operators(t)
	r.upgrade(t, "--set-string", "operator.podAnnotations.upgraded=yes")
	if refresh(t, e); e.Status.CompletionTime != nil {
		t.Error("the experiment ended before the upgrade did")
	}
	for _, pod := range r.operators(t) {
		if slices.Contains(before, pod) {
			t.Errorf("the upgrade did not replace the operator %s", pod)
		}
	}
	finished(t, e, 3*time.Minute)
}

// gone fails if an object still exists.
func gone(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
		t.Errorf("%T %s is still there: %v", object, object.GetName(), err)
	}
}

// staysInItsNamespaces tests a release with two operators and the rights in two namespaces only.
func staysInItsNamespaces(t *testing.T, helm, values string) {
	a, b, elsewhere := namespace(t), namespace(t), namespace(t)
	r := install(t, helm, values, "--set", "operator.replicas=2,podDisruptionBudget.enabled=true,rbac.namespaced=true,watchNamespaces={"+a+","+b+"}")
	watched := watchGenerators(t)
	ignored, e := create(t, tiny(elsewhere, "ignored")), create(t, tiny(a, "led", costs(4, 6), longer(15)))
	underLoad(t, e)
	budget := &policyv1.PodDisruptionBudget{}
	must(t, cluster.Get(t.Context(), client.ObjectKey{Namespace: r.namespace, Name: "hashmark-operator"}, budget))
	if status := budget.Status; status.CurrentHealthy != 2 || status.DisruptionsAllowed != 1 {
		t.Errorf("%d of the operators are healthy, and %d may be disrupted", status.CurrentHealthy, status.DisruptionsAllowed)
	}
	first := leader(t, r.namespace)
	r.upgradeUnderLoad(t, e)
	eachMeasuredOnce(t, e, watched)
	if now := leader(t, r.namespace); now == first {
		t.Errorf("%s leads although it was replaced", now)
	}
	if refresh(t, ignored); ignored.Status.Phase != "" {
		t.Errorf("in a namespace that is not watched, it is %s", standing(t, ignored))
	}
	for _, tt := range []struct {
		group, resource, verb, namespace string
		want                             bool
	}{
		{"batch", "jobs", "create", a, true},
		{"batch", "jobs", "create", b, true},
		{"batch", "jobs", "create", elsewhere, false},
		{"batch", "jobs", "create", r.namespace, false},
		{"", "pods", "list", "", false},
		{v1beta1.GroupVersion.Group, "sizingexperiments", "watch", "", false},
		{v1beta1.GroupVersion.Group, "sizingexperiments", "get", elsewhere, false},
	} {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: r.account(),
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Group: tt.group, Resource: tt.resource, Verb: tt.verb, Namespace: tt.namespace,
			},
		}}
		if create(t, review); review.Status.Allowed != tt.want {
			t.Errorf("can %s %s in %q: %t", tt.verb, tt.resource, tt.namespace, review.Status.Allowed)
		}
	}
}
