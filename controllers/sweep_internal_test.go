package controllers

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// A leader that was frozen gets to know of a Deployment before it gets to know of the attempt that
// the Deployment is for.
func TestAStaleTrialLosesNoChildren(t *testing.T) {
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c10-1", UID: "trial"}}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: objects.Child(trial.UID, 1), UID: "deployment",
		Labels:          map[string]string{v1beta1.LabelTrialUID: string(trial.UID)},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(trial, v1beta1.GroupVersion.WithKind("SizingTrial"))},
	}}
	c := having(trial, deployment)
	r := &TrialReconciler{Client: c, Live: c}
	sweep := func(trial *v1beta1.SizingTrial) error {
		return r.sweep(t.Context(), &lifecycle.Observation{
			Trial: trial, Ownership: lifecycle.Planned, Leftovers: []lifecycle.Leftover{{Name: deployment.Name, Deletable: true}},
		})
	}
	stale, begun := read(t, c, trial), read(t, c, trial)
	begun.Status.Attempts = []v1beta1.Attempt{{Number: 1, ServiceUID: deployment.UID}}
	if err := c.Update(t.Context(), begun); err != nil {
		t.Fatal(err)
	}
	if err := sweep(stale); !apierrors.IsConflict(err) {
		t.Errorf("the stale trial was swept, or refused for another reason: %v", err)
	}
	if err := sweep(read(t, c, trial)); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(deployment), &appsv1.Deployment{}); err != nil {
		t.Errorf("the Deployment of the current attempt: %v", err)
	}
	ended := read(t, c, trial)
	ended.Status.Attempts[0].EndTime = &metav1.Time{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	if err := c.Update(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	if err := sweep(read(t, c, trial)); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(deployment), deployment); !apierrors.IsNotFound(err) {
		t.Errorf("the Deployment of an attempt that has ended still exists: %v", err)
	}
}
