//go:build integration

package controllers_test

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/test/chart"
)

// TestAConfinedOperatorMeasuresAsAnyOther runs the experiments of two namespaces with an
// operator that has Roles there and no rights on the cluster. The transcript must be the same.
func TestAConfinedOperatorMeasuresAsAnyOther(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a", "team-b")
	w.confine()
	takeTurns(w)
	w.checkGolden(t, "two-namespaces", turnsOnly)
	if err := cachedCluster.GetAPIReader().List(asOperator(w.ctx, w.user), &corev1.PodList{}); err == nil {
		t.Error("the operator can list the whole cluster, so the test proves nothing")
	}
}

// confine starts an operator whose user has the operator's rights in the cluster's namespaces
// only.
func (w *testCluster) confine() {
	w.t.Helper()
	w.user = "confined-to-" + w.namespaces[0]
	rights := operatorRights(w.t)
	for _, namespace := range w.namespaces {
		w.must("granting rights", uncached.Create(w.ctx, &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "operator"}, Rules: rights,
		}))
		w.must("granting rights", uncached.Create(w.ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "operator"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "operator"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: w.user}},
		}))
	}
	// The API server watches roles, so the rights take effect after a moment.
	live := controllers.LiveIn(cachedCluster.GetAPIReader(), w.namespaces)
	err := wait.PollUntilContextTimeout(asOperator(w.ctx, w.user), 20*time.Millisecond, 10*time.Second, true,
		func(ctx context.Context) (bool, error) { return live.List(ctx, &corev1.PodList{}) == nil, nil })
	w.must("waiting for the rights", err)
	w.startOperator()
}

// operatorRights returns the rules that are installed with the operator, and those of its own
// namespace.
func operatorRights(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	role, leases := &rbacv1.ClusterRole{}, &rbacv1.Role{}
	if err := errors.Join(chart.Decode("rbac/operator_role.yaml", role), chart.Decode("rbac/leases_role.yaml", leases)); err != nil {
		t.Fatal(err)
	}
	return append(role.Rules, leases.Rules...)
}
