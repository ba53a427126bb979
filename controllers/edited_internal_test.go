package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestATrialIsWrittenUnlessMoreThanItsMetadataChanged(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edit    func(*v1beta1.SizingTrial)
		written bool
	}{
		{"an annotation and a label", func(trial *v1beta1.SizingTrial) {
			trial.Annotations, trial.Labels = map[string]string{"a": "b"}, map[string]string{"c": "d"}
		}, true},
		{"a finalizer", func(trial *v1beta1.SizingTrial) { trial.Finalizers = []string{"example.test/kept"} }, true},
		{"the turn", func(trial *v1beta1.SizingTrial) { trial.Spec.Suspend = true }, false},
		{"the status", func(trial *v1beta1.SizingTrial) { trial.Status.Phase = v1beta1.TrialRunning }, false},
		{"another trial of that name", func(trial *v1beta1.SizingTrial) { trial.UID = "another" }, false},
	} {
		for what, write := range map[string]func(c client.Client, live client.Reader, before *v1beta1.SizingTrial) error{
			"the status": func(c client.Client, live client.Reader, before *v1beta1.SizingTrial) error {
				after := before.DeepCopy()
				after.Status.Message = "written"
				return patchStatus(t.Context(), c, live, after, before)
			},
			"the turn": func(c client.Client, live client.Reader, before *v1beta1.SizingTrial) error {
				return suspendTrial(t.Context(), c, live, before.DeepCopy(), true)
			},
		} {
			t.Run(tt.name+" before "+what, func(t *testing.T) {
				trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c10-1", UID: "trial", Generation: 1}}
				c := asAPIServer(serving(trial).Build())
				before, edited := read(t, c, trial), read(t, c, trial)
				tt.edit(edited)
				status := edited.Status
				if err := c.Update(t.Context(), edited); err != nil {
					t.Fatal(err)
				}
				edited.Status = status
				if err := c.Status().Update(t.Context(), edited); err != nil {
					t.Fatal(err)
				}
				reads := 0
				live := interceptor.NewClient(c, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					reads++
					return c.Get(ctx, key, o, opts...)
				}})
				err := write(c, live, before)
				got := read(t, c, trial)
				if tt.written && (err != nil || reads > 0 || (got.Status.Message == "written") == got.Spec.Suspend) ||
					!tt.written && (!apierrors.IsConflict(err) || reads != 1 || got.Status.Message == "written") {
					t.Errorf("error %v after %d reads, the message is %q, and it is suspended: %t", err, reads, got.Status.Message, got.Spec.Suspend)
				}
			})
		}
	}
}

// A status that another release wrote has fields that this one does not know, so it is compared as it is
// stored.
func TestAStatusOfAnotherReleaseIsWritten(t *testing.T) {
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c10-1", UID: "trial", Generation: 1}}
	trial.Status.Phase = v1beta1.TrialRunning
	var tests []string
	c := asAPIServer(serving(trial).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				err := c.Get(ctx, key, o, opts...)
				if stored, is := o.(*unstructured.Unstructured); is {
					err = errors.Join(err, unstructured.SetNestedField(stored.Object, "new", "status", "unknown"))
				}
				return err
			},
			SubResourcePatch: func(_ context.Context, _ client.Client, _ string, o client.Object, patch client.Patch, _ ...client.SubResourcePatchOption) error {
				data, err := patch.Data(o)
				tests = append(tests, string(data))
				if err != nil || strings.Contains(string(data), `"unknown":"new"`) {
					return err
				}
				return errors.New("testing value /status failed: test failed")
			},
		}).Build())
	before := read(t, c, trial)
	after := before.DeepCopy()
	after.Status.Message = "written"
	if err := patchStatus(t.Context(), c, c, after, before); err != nil || len(tests) != 2 {
		t.Errorf("%v after %q", err, tests)
	}
}

// A status that its schema or a policy refuses is refused for good. It is no conflict.
func TestAStatusThatIsRefusedIsNoConflict(t *testing.T) {
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c10-1", UID: "trial"}}
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "SizingTrial"}, "c10-1", field.ErrorList{field.Required(field.NewPath("status"), "")})
	writes := 0
	c := serving(trial).
		WithInterceptorFuncs(interceptor.Funcs{SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
			writes++
			return invalid
		}}).Build()
	after := trial.DeepCopy()
	after.Status.Message = "written"
	if err := patchStatus(t.Context(), c, c, after, trial); !errors.Is(err, invalid) || writes > 2 {
		t.Errorf("%v after %d writes", err, writes)
	}
}

// The time to live and the suspension of an experiment are for its next pass. A cancellation changes
// what this one has to write.
func TestTheStatusOfAnExperimentIsWrittenAlthoughItIsEdited(t *testing.T) {
	for _, tt := range []struct {
		name    string
		edit    func(*v1beta1.SizingExperiment)
		written bool
	}{
		{"its time to live", func(e *v1beta1.SizingExperiment) { e.Spec.TTLSecondsAfterFinished = ptr.To[int32](60) }, true},
		{"its suspension", func(e *v1beta1.SizingExperiment) { e.Spec.Suspend = ptr.To(true) }, true},
		{"what the cache lacks", func(e *v1beta1.SizingExperiment) {
			e.Labels, e.Finalizers = map[string]string{"team": "a"}, []string{"example.test/kept"}
			e.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "o"}}
		}, true},
		{"its cancellation", func(e *v1beta1.SizingExperiment) { e.Spec.Cancel = ptr.To(true) }, false},
		{"its matrix, as an administrator could", func(e *v1beta1.SizingExperiment) { e.Spec.Matrix.Costs = []int32{10} }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			experiment := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "login", UID: "u", Generation: 1}}
			experiment.Status.StartTime = &metav1.Time{Time: time.Unix(1, 0)}
			c := asAPIServer(serving(experiment).Build())
			before := read(t, c, experiment)
			edited := read(t, c, experiment)
			tt.edit(edited)
			if err := c.Update(t.Context(), edited); err != nil {
				t.Fatal(err)
			}
			after := before.DeepCopy()
			after.Status.Phase = v1beta1.ExperimentSucceeded
			err := patchStatus(t.Context(), c, c, after, before)
			got := read(t, c, experiment)
			if tt.written && (err != nil || got.Status.Phase != v1beta1.ExperimentSucceeded) || !tt.written && !apierrors.IsConflict(err) {
				t.Errorf("error %v, and the phase is %q", err, got.Status.Phase)
			}
			if diff := cmp.Diff(edited.Spec, got.Spec); diff != "" {
				t.Errorf("the spec after the write (-edited +got):\n%s", diff)
			}
		})
	}
}

// The write that begins an experiment fails if the spec was edited since the pass over the turns read it,
// so that no trial measures what an older spec planned.
func TestAnExperimentBeginsOnlyWithTheSpecThatWasAccepted(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after func(*v1beta1.SizingExperiment)
		begun, stale  bool
	}{
		{name: "nothing is edited", begun: true},
		{name: "its matrix is edited meanwhile", after: func(e *v1beta1.SizingExperiment) { e.Spec.Matrix.Costs = []int32{9} }, stale: true},
		{name: "its seed is edited meanwhile", after: func(e *v1beta1.SizingExperiment) { e.Spec.Seed = ptr.To[int64](9) }, stale: true},
		{name: "it is suspended meanwhile", after: func(e *v1beta1.SizingExperiment) { e.Spec.Suspend = ptr.To(true) }, stale: true},
		{name: "it is cancelled meanwhile", after: func(e *v1beta1.SizingExperiment) { e.Spec.Cancel = ptr.To(true) }, stale: true},
		{name: "its time to live is edited meanwhile", after: func(e *v1beta1.SizingExperiment) { e.Spec.TTLSecondsAfterFinished = ptr.To[int32](60) }, begun: true},
		{name: "it was edited before, and is not accepted again", before: func(e *v1beta1.SizingExperiment) { e.Spec.Baseline = "c9-1" }},
		{name: "it was suspended before", before: func(e *v1beta1.SizingExperiment) { e.Spec.Suspend = ptr.To(true) }},
		{name: "it does not plan the trial", before: func(e *v1beta1.SizingExperiment) { e.Spec.Matrix.Costs, e.Status.ObservedGeneration = []int32{9}, 2 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &v1beta1.SizingExperiment{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "login", UID: "u", Generation: 1},
				Spec:       v1beta1.SizingExperimentSpec{Matrix: v1beta1.Matrix{Costs: []int32{8}, CPULimits: fixture.Limits("1")}},
				Status:     v1beta1.SizingExperimentStatus{ObservedGeneration: 1},
			}
			planned, err := matrix.Plan(e, matrix.Seed(e))
			if err != nil {
				t.Fatal(err)
			}
			trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: planned[0].Name}, Spec: planned[0].Spec}
			c := asAPIServer(serving(e).Build())
			edit := func(change func(*v1beta1.SizingExperiment)) {
				if change == nil {
					return
				}
				edited := read(t, c, e)
				change(edited)
				status := edited.Status
				if err := c.Update(t.Context(), edited); err != nil {
					t.Fatal(err)
				}
				edited.Status = status
				if err := c.Status().Update(t.Context(), edited); err != nil {
					t.Fatal(err)
				}
			}
			edit(tt.before)
			cached := read(t, c, e)
			edit(tt.after)
			r := &TurnReconciler{Client: c, Live: c, Clock: clocktesting.NewFakePassiveClock(time.Unix(1, 0))}
			begun, err := r.begin(t.Context(), cached, trial)
			if begun != tt.begun || apierrors.IsConflict(err) != tt.stale || err != nil && !tt.stale {
				t.Errorf("it has begun: %t, error %v; want %t, a conflict: %t", begun, err, tt.begun, tt.stale)
			}
			if started := read(t, c, e).Status.StartTime != nil; started != tt.begun {
				t.Errorf("it has a start time: %t, want %t", started, tt.begun)
			}
		})
	}
}

// A pass patches objects of the cache, which has only a part of them.
func TestAPatchKeepsWhatTheCacheLacks(t *testing.T) {
	users := metav1.ObjectMeta{
		Namespace: "ns", Name: "c10-1", UID: "u", Labels: map[string]string{"team": "a", v1beta1.LabelVariant: "c10-1"},
		Annotations: map[string]string{"note": "b"}, Finalizers: []string{"example.test/kept"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: "o"}},
	}
	experiment, trial := &v1beta1.SizingExperiment{ObjectMeta: users}, &v1beta1.SizingTrial{ObjectMeta: users}
	c := serving(experiment, trial).Build()

	cachedExperiment, cachedTrial := read(t, c, experiment), read(t, c, trial)
	for _, object := range []client.Object{cachedExperiment, cachedTrial} {
		if _, err := withoutUnused(readLabels)(object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{v1beta1.LabelVariant: "c10-1"}, object.GetLabels()); diff != "" || object.GetAnnotations() != nil {
			t.Errorf("%s in the cache has the annotations %v, and labels (-want +got):\n%s", nameOf(object), object.GetAnnotations(), diff)
		}
	}
	after := cachedExperiment.DeepCopy()
	after.Status.Phase = v1beta1.ExperimentRunning
	if err := patchStatus(t.Context(), c, c, after, cachedExperiment); err != nil {
		t.Fatal(err)
	}
	afterTrial := cachedTrial.DeepCopy()
	afterTrial.Status.Message = "written"
	if err := patchStatus(t.Context(), c, c, afterTrial, cachedTrial); err != nil {
		t.Fatal(err)
	}
	if err := suspendTrial(t.Context(), c, c, afterTrial, true); err != nil {
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
	if e, s := read(t, c, experiment), read(t, c, trial); e.Status.Phase != v1beta1.ExperimentRunning || s.Status.Message != "written" || !s.Spec.Suspend {
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

// A trial gets labels of its experiment, and its pods those of the trial, so the cache must keep them.
func TestTheCacheKeepsLabelsThatTrialsInherit(t *testing.T) {
	keep := CacheOptions(nil, []string{"team"}).DefaultTransform
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"team": "a", "other": "b", v1beta1.LabelVariant: "c10-1"}}}
	if _, err := keep(trial); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"team": "a", v1beta1.LabelVariant: "c10-1"}, trial.Labels); diff != "" {
		t.Errorf("the labels (-want +got):\n%s", diff)
	}
}
