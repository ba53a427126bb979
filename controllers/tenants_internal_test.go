package controllers

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

func schemeOfAll() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1beta1.AddToScheme(scheme))
	return scheme
}

// asAPIServer lets a fake client count the generations of specs, and answer a JSON Patch with a test that
// fails, as the API server does.
func asAPIServer(c client.WithWatch) client.WithWatch {
	answer := func(err error) error {
		if err != nil && strings.HasSuffix(err.Error(), "test failed") {
			return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
		}
		return err
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			before := o.DeepCopyObject().(client.Object)
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), before); err != nil {
				return err
			}
			if !reflect.DeepEqual(reflect.ValueOf(before).Elem().FieldByName("Spec").Interface(), reflect.ValueOf(o).Elem().FieldByName("Spec").Interface()) {
				o.SetGeneration(before.GetGeneration() + 1)
			}
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return answer(c.Patch(ctx, o, patch, opts...))
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return answer(c.SubResource(sub).Patch(ctx, o, patch, opts...))
		},
	})
}

// A leader that was frozen has read an experiment whose time to live was removed since then.
func TestAStaleExperimentIsNotDeleted(t *testing.T) {
	end := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	e := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "login", UID: "u"},
		Spec:       v1beta1.SizingExperimentSpec{TTLSecondsAfterFinished: ptr.To[int32](60)},
		Status:     v1beta1.SizingExperimentStatus{CompletionTime: &metav1.Time{Time: end}},
	}
	c := having(e)
	afterEnd := func(e *v1beta1.SizingExperiment) error {
		pass := &experimentPass{ExperimentReconciler: &ExperimentReconciler{Client: c}, experiment: e, now: end.Add(time.Hour)}
		_, err := pass.afterEnd(context.Background())
		return err
	}
	stale, edited := read(t, c, e), read(t, c, e)
	edited.Spec.TTLSecondsAfterFinished = nil
	if err := c.Update(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	if err := afterEnd(stale); !apierrors.IsConflict(err) {
		t.Errorf("the stale experiment was deleted, or refused for another reason: %v", err)
	}
	edited = read(t, c, e)
	edited.Spec.TTLSecondsAfterFinished = ptr.To[int32](60)
	if err := c.Update(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	if err := afterEnd(read(t, c, e)); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(e), e); !apierrors.IsNotFound(err) {
		t.Errorf("it still exists although its time is up: %v", err)
	}
}

// The message about other loads is read by people who may not know of other namespaces.
func TestWhoIsUnderLoadInAnotherNamespaceIsNotNamed(t *testing.T) {
	labels := func(uid, experiment string) map[string]string {
		return map[string]string{
			v1beta1.LabelComponent: v1beta1.ComponentGenerator, v1beta1.LabelTrialUID: uid,
			v1beta1.LabelExperiment: experiment, v1beta1.LabelVariant: "c10-1",
		}
	}
	live := having(
		loadJob(func(j *batchv1.Job) { j.Namespace, j.Name, j.Labels = "ours", "a", labels("own", "mine") }),
		loadJob(func(j *batchv1.Job) { j.Namespace, j.Name, j.Labels = "ours", "b", labels("sibling", "login") }),
		loadPod(func(p *corev1.Pod) { p.Namespace, p.Name, p.Labels = "theirs", "c", labels("other", "secret-launch") }),
	)
	r := &TrialReconciler{Live: live, Clock: clocktesting.NewFakePassiveClock(loadEnd)}
	got, err := r.underLoad(t.Context(), &lifecycle.Observation{Trial: &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "ours", UID: "own"}}})
	if want := []string{"login c10-1", "one in another namespace", "pod a of this trial"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
