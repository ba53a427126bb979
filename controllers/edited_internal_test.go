package controllers

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
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

// The time to live and the suspension of an experiment are for its next pass. A cancellation changes
// what this one has to write.
func TestTheStatusOfAnExperimentIsWrittenAlthoughItIsEdited(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edit    func(*v1alpha1.SizingExperiment)
		written bool
	}{
		{"its time to live", func(e *v1alpha1.SizingExperiment) { e.Spec.TTLSecondsAfterFinished = ptr.To[int32](60) }, true},
		{"its suspension", func(e *v1alpha1.SizingExperiment) { e.Spec.Suspend = true }, true},
		{"what the cache lacks", func(e *v1alpha1.SizingExperiment) {
			e.Labels, e.Finalizers = map[string]string{"team": "a"}, []string{"example.test/kept"}
			e.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "o"}}
		}, true},
		{"its cancellation", func(e *v1alpha1.SizingExperiment) { e.Spec.Cancel = true }, false},
		{"its matrix, as an administrator could", func(e *v1alpha1.SizingExperiment) { e.Spec.Matrix.Costs = []int32{10} }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			experiment := &v1alpha1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "login", UID: "u", Generation: 1}}
			c := fake.NewClientBuilder().WithScheme(schemeOfAll()).WithObjects(experiment).WithStatusSubresource(experiment).Build()
			before := read(t, c, experiment)
			edited := read(t, c, experiment)
			tt.edit(edited)
			edited.Generation++
			if err := c.Update(t.Context(), edited); err != nil {
				t.Fatal(err)
			}
			after := before.DeepCopy()
			after.Status.Phase = v1alpha1.ExperimentSucceeded
			err := patchStatus(t.Context(), c, c, after, before)
			got := read(t, c, experiment)
			if tt.written && (err != nil || got.Status.Phase != v1alpha1.ExperimentSucceeded) || !tt.written && !apierrors.IsConflict(err) {
				t.Errorf("error %v, and the phase is %q", err, got.Status.Phase)
			}
			if diff := cmp.Diff(edited.Spec, got.Spec); diff != "" {
				t.Errorf("the spec after the write (-edited +got):\n%s", diff)
			}
		})
	}
}

// A pass patches objects of the cache, which has only a part of them.
func TestAPatchKeepsWhatTheCacheLacks(t *testing.T) {
	users := metav1.ObjectMeta{
		Namespace: "ns", Name: "c10-1", UID: "u", Labels: map[string]string{"team": "a", v1alpha1.LabelVariant: "c10-1"},
		Annotations: map[string]string{"note": "b"}, Finalizers: []string{"example.test/kept"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "o"}},
	}
	experiment, trial := &v1alpha1.SizingExperiment{ObjectMeta: users}, &v1alpha1.SizingTrial{ObjectMeta: users}
	c := fake.NewClientBuilder().WithScheme(schemeOfAll()).WithObjects(experiment, trial).WithStatusSubresource(experiment, trial).Build()

	cachedExperiment, cachedTrial := read(t, c, experiment), read(t, c, trial)
	for _, object := range []client.Object{cachedExperiment, cachedTrial} {
		if _, err := withoutUnused(object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{v1alpha1.LabelVariant: "c10-1"}, object.GetLabels()); diff != "" || object.GetAnnotations() != nil {
			t.Errorf("%s in the cache has the annotations %v, and labels (-want +got):\n%s", nameOf(object), object.GetAnnotations(), diff)
		}
	}
	after := cachedExperiment.DeepCopy()
	after.Status.Phase = v1alpha1.ExperimentRunning
	if err := patchStatus(t.Context(), c, c, after, cachedExperiment); err != nil {
		t.Fatal(err)
	}
	afterTrial := cachedTrial.DeepCopy()
	afterTrial.Status.Message = "written"
	if err := patchStatus(t.Context(), c, c, afterTrial, cachedTrial); err != nil {
		t.Fatal(err)
	}
	if err := suspendTrial(t.Context(), c, afterTrial, true); err != nil {
		t.Fatal(err)
	}
	for _, object := range []client.Object{read(t, c, experiment), read(t, c, trial)} {
		got := metav1.ObjectMeta{
			Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID(), Labels: object.GetLabels(),
			Annotations: object.GetAnnotations(), Finalizers: object.GetFinalizers(), OwnerReferences: object.GetOwnerReferences(),
		}
		if diff := cmp.Diff(users, got); diff != "" {
			t.Errorf("the metadata of %s after the patches (-want +got):\n%s", nameOf(object), diff)
		}
	}
	if e, s := read(t, c, experiment), read(t, c, trial); e.Status.Phase != v1alpha1.ExperimentRunning || s.Status.Message != "written" || !s.Spec.Suspend {
		t.Errorf("the experiment is %+v and the trial %+v", e.Status, s)
	}
}

// read returns the present version of an object.
func read[T client.Object](t *testing.T, c client.Reader, object T) T {
	t.Helper()
	now := object.DeepCopyObject().(T)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), now); err != nil {
		t.Fatal(err)
	}
	return now
}
