package controllers

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// ofATrial returns the metadata of an object of a trial in a namespace.
func ofATrial(namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: "hm-1", Labels: map[string]string{v1beta1.LabelTrialUID: "u"}}
}

func TestADenyPolicyIsKeptAsLongAsThereMayBeAPod(t *testing.T) {
	for _, tt := range []struct {
		name string
		has  client.Object
		kept bool
	}{
		{"a pod that runs", &corev1.Pod{ObjectMeta: ofATrial("ns"), Status: corev1.PodStatus{Phase: corev1.PodRunning}}, true},
		{"a pod that failed, which is replaced", &corev1.Pod{ObjectMeta: ofATrial("ns"), Status: corev1.PodStatus{Phase: corev1.PodFailed}}, true},
		{"a Deployment, whose pods were deleted", &appsv1.Deployment{ObjectMeta: ofATrial("ns")}, true},
		{"a Job, whose pod is not created yet", &batchv1.Job{ObjectMeta: ofATrial("ns")}, true},
		{"a trial that has ended", &v1beta1.SizingTrial{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"},
			Status:     v1beta1.SizingTrialStatus{Conditions: []metav1.Condition{{Type: v1beta1.ConditionReleased, Status: metav1.ConditionTrue}}},
		}, true},
		{"a trial in another namespace", &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "a"}}, false},
		{"a pod of nobody's", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}, false},
		{"a pod in another namespace", &corev1.Pod{ObjectMeta: ofATrial("other")}, false},
		{"nothing", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cache, knows := range map[string]bool{"a cache that is up to date": true, "a cache that is behind": false} {
				policy := objects.DenyPolicy("ns")
				live, cached := having(policy), having(policy)
				if tt.has != nil {
					live = having(policy, tt.has)
				}
				if knows {
					cached = live
				}
				r := &DenyPolicyReconciler{Client: writing{cached, live}, Live: live}
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(policy)}); err != nil {
					t.Fatal(err)
				}
				err := live.Get(t.Context(), client.ObjectKeyFromObject(policy), &networkingv1.NetworkPolicy{})
				if kept := !apierrors.IsNotFound(err); kept != tt.kept {
					t.Errorf("with %s, it is kept: %t, want %t", cache, kept, tt.kept)
				}
			}
		})
	}
}

// The event of a deletion can be lost.
func TestADenyPolicyIsLookedAtAgainWhileSomethingIsAboutToGo(t *testing.T) {
	policy := objects.DenyPolicy("ns")
	experiment := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "e"}}
	elsewhere := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "e"}}
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}
	for name, tt := range map[string]struct {
		has   []client.Object
		again bool
	}{
		"a trial of an experiment":            {[]client.Object{policy, trial, experiment}, false},
		"a trial whose experiment is gone":    {[]client.Object{policy, trial, elsewhere}, true},
		"a pod of a trial of an experiment":   {[]client.Object{policy, trial, experiment, &corev1.Pod{ObjectMeta: ofATrial("ns")}}, true},
		"an experiment whose trials are gone": {[]client.Object{policy, experiment}, true},
		"an experiment without a policy":      {[]client.Object{experiment}, false},
	} {
		t.Run(name, func(t *testing.T) {
			live := having(tt.has...)
			r := &DenyPolicyReconciler{Client: live, Live: live}
			result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(policy)})
			if again := result.RequeueAfter > 0; err != nil || again != tt.again {
				t.Errorf("the pass ended with %v, %v", result, err)
			}
		})
	}
}

// having returns a client of an API server with some objects.
func having(objects ...client.Object) client.Client {
	return fake.NewClientBuilder().WithScheme(schemeOfAll()).WithObjects(objects...).Build()
}

// serving returns a client of an API server with some objects, their statuses, and the index of trials.
func serving(objects ...client.Object) *fake.ClientBuilder {
	return fake.NewClientBuilder().WithScheme(schemeOfAll()).WithObjects(objects...).WithStatusSubresource(objects...).
		WithIndex(&v1beta1.SizingTrial{}, ownerField, func(o client.Object) []string { return []string{string(ownerUID(o))} })
}

// writing reads from a cache and writes to the API server.
type writing struct {
	client.Client
	server client.Client
}

func (w writing) Delete(ctx context.Context, object client.Object, opts ...client.DeleteOption) error {
	return w.server.Delete(ctx, object, opts...)
}

// An operator that was frozen after its last look deletes the policy that it has seen, and not one
// that was created or changed since.
func TestADenyPolicyThatHasChangedIsNotDeleted(t *testing.T) {
	policy := objects.DenyPolicy("ns")
	stale, live := having(policy), having(policy)
	if err := live.Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
		t.Fatal(err)
	}
	if err := live.Update(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	r := &DenyPolicyReconciler{Client: writing{stale, live}, Live: live}
	result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(policy)})
	if err != nil || result.RequeueAfter != staleAgain {
		t.Errorf("the pass ended with %v, %v", result, err)
	}
	if err := live.Get(t.Context(), client.ObjectKeyFromObject(policy), policy); err != nil {
		t.Errorf("the policy: %v", err)
	}
}
