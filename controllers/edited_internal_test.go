package controllers

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestAStatusIsWrittenUnlessMoreThanAnnotationsChanged(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edit    func(*v1alpha1.SizingTrial)
		written bool
	}{
		{"an annotation and a label", func(trial *v1alpha1.SizingTrial) {
			trial.Annotations, trial.Labels = map[string]string{"a": "b"}, map[string]string{"c": "d"}
		}, true},
		{"the turn", func(trial *v1alpha1.SizingTrial) { trial.Spec.Suspend = true }, false},
		{"the status", func(trial *v1alpha1.SizingTrial) { trial.Status.Phase = v1alpha1.TrialRunning }, false},
		{"a finalizer", func(trial *v1alpha1.SizingTrial) { trial.Finalizers = []string{"example.test/kept"} }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trial := &v1alpha1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c10-1", UID: "trial"}}
			c := fake.NewClientBuilder().WithScheme(schemeOfAll()).WithObjects(trial).WithStatusSubresource(trial).Build()
			key := client.ObjectKeyFromObject(trial)
			read := func() *v1alpha1.SizingTrial {
				got := &v1alpha1.SizingTrial{}
				if err := c.Get(t.Context(), key, got); err != nil {
					t.Fatal(err)
				}
				return got
			}
			before, edited := read(), read()
			tt.edit(edited)
			status := edited.Status
			if err := c.Update(t.Context(), edited); err != nil {
				t.Fatal(err)
			}
			edited.Status = status
			if err := c.Status().Update(t.Context(), edited); err != nil {
				t.Fatal(err)
			}
			after := before.DeepCopy()
			after.Status.Message = "written"
			reads := 0
			live := interceptor.NewClient(c, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				reads++
				return c.Get(ctx, key, o, opts...)
			}})
			err := patchStatus(t.Context(), c, live, after, before)
			if reads != 1 {
				t.Errorf("the trial was read %d times", reads)
			}
			if got := read(); tt.written && (err != nil || got.Status.Message != "written") || !tt.written && !apierrors.IsConflict(err) {
				t.Errorf("error %v, and the message is %q", err, got.Status.Message)
			}
		})
	}
}

// Annotations that are edited several times a second don't keep a status from being written. The
// cache does not show the edits.
func TestAStatusIsWrittenWhileAnnotationsAreEditedAllTheTime(t *testing.T) {
	trial := &v1alpha1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c10-1", UID: "trial"}}
	edits := 0
	c := fake.NewClientBuilder().WithScheme(schemeOfAll()).WithObjects(trial).WithStatusSubresource(trial).
		WithInterceptorFuncs(interceptor.Funcs{SubResourcePatch: func(ctx context.Context, c client.Client, name string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if edits < 3 {
				edits++
				edit := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{"edit":"%d"}}}`, edits))
				if err := c.Patch(ctx, trial.DeepCopy(), edit); err != nil {
					return err
				}
			}
			return c.SubResource(name).Patch(ctx, o, patch, opts...)
		}}).Build()
	before := &v1alpha1.SizingTrial{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(trial), before); err != nil {
		t.Fatal(err)
	}
	cached := fake.NewClientBuilder().WithScheme(schemeOfAll()).WithObjects(before.DeepCopy()).Build()
	stale := interceptor.NewClient(c, interceptor.Funcs{Get: func(ctx context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		return cached.Get(ctx, key, o, opts...)
	}})
	after := before.DeepCopy()
	after.Status.Message = "written"
	if err := patchStatus(t.Context(), stale, c, after, before); err != nil || edits != 3 {
		t.Errorf("after %d edits: %v", edits, err)
	}
}
