package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

var services = schema.GroupResource{Resource: "services"}

func TestOnlyRefusalsOfAdmissionAreWaitedFor(t *testing.T) {
	terminating := apierrors.NewForbidden(services, "hm", errors.New("because it is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for name, tt := range map[string]struct {
		err    error
		reason string // "" if it is not a refusal
	}{
		"a quota that is used up":           {apierrors.NewForbidden(services, "hm", errors.New("exceeded quota: small")), v1beta1.ReasonQuotaRefused},
		"a quota that wants another limit":  {apierrors.NewForbidden(services, "hm", errors.New("failed quota: small: must specify limits.ephemeral-storage")), v1beta1.ReasonQuotaRefused},
		"a policy":                          {apierrors.NewInvalid(schema.GroupKind{Kind: "Service"}, "hm", nil), v1beta1.ReasonAdmissionRefused},
		"a webhook":                         {apierrors.NewForbidden(services, "hm", errors.New("no")), v1beta1.ReasonAdmissionRefused},
		"a webhook with a code of its own":  {apierrors.NewBadRequest(`admission webhook "policy" denied the request: no`), v1beta1.ReasonAdmissionRefused},
		"a webhook that can't be called":    {apierrors.NewInternalError(errors.New(`failed calling webhook "policy"`)), v1beta1.ReasonAdmissionRefused},
		"a right that the operator lacks":   {apierrors.NewForbidden(services, "hm", errors.New(`User "operator" cannot create resource "services"`)), v1beta1.ReasonAdmissionRefused},
		"an object that is too large":       {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), v1beta1.ReasonAdmissionRefused},
		"one that is too large for etcd":    {apierrors.NewInternalError(errors.New("etcdserver: request is too large")), v1beta1.ReasonAdmissionRefused},
		"a namespace that is being deleted": {terminating, ""},
		"an API server that is overloaded":  {apierrors.NewTooManyRequests("later", 1), ""},
		"nothing":                           {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := asRefused(tt.err)
			refused, is := errors.AsType[*refusedError](got)
			switch {
			case is != (tt.reason != ""), !is && !errors.Is(got, tt.err):
				t.Errorf("%v became %v", tt.err, got)
			case is && (refused.reason != tt.reason || refused.message != tt.err.Error()):
				t.Errorf("the refusal is %+v, want %s and the server's message", refused, tt.reason)
			}
		})
	}
}

// TestAnExperimentWhoseObjectsAreRefusedSaysSo covers what the experiment creates itself. The
// refusals have different messages, which must not be written one after the other.
func TestAnExperimentWhoseObjectsAreRefusedSaysSo(t *testing.T) {
	for name, refuses := range map[string]func(client.Object) bool{
		"its service account": func(o client.Object) bool { _, is := o.(*corev1.ServiceAccount); return is },
		"its second trial": func(o client.Object) bool {
			trial, is := o.(*v1beta1.SizingTrial)
			return is && trial.Spec.Sequence == 2
		},
	} {
		t.Run(name, func(t *testing.T) {
			refusals := []string{"exceeded quota: small, used: 1", "exceeded quota: small, used: 2"}
			experiment := &v1beta1.SizingExperiment{
				ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: "a"},
				Spec: v1beta1.SizingExperimentSpec{
					Matrix:  v1beta1.Matrix{Costs: []int32{10, 11}, CPULimits: fixture.Limits("1")},
					Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse("128Mi"))}, Repetitions: ptr.To[int32](1), Suspend: ptr.To(true),
					Load: v1beta1.Load{RequestTimeoutSeconds: 10, WarmupSeconds: ptr.To[int32](5)},
				},
			}
			c := serving(experiment).
				WithInterceptorFuncs(interceptor.Funcs{
					Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
						if refuses(o) && len(refusals) > 0 {
							why := refusals[0]
							refusals = refusals[1:]
							return apierrors.NewForbidden(services, o.GetName(), errors.New(why))
						}
						return c.Create(ctx, o, opts...)
					},
				}).Build()
			r := &ExperimentReconciler{
				Client: c, Live: c, Queue: &Queue{}, Events: events.NewFakeRecorder(9),
				Clock: clocktesting.NewFakePassiveClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)),
			}
			r.Queue.set(nil, map[types.UID]int32{experiment.UID: 1}) // its turn is near
			pass := func(again time.Duration) *metav1.Condition {
				result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(experiment)})
				if err != nil || result.RequeueAfter != again {
					t.Fatalf("the pass returned %v, error %v; want it again after %s", result, err, again)
				}
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(experiment), experiment); err != nil {
					t.Fatal(err)
				}
				return meta.FindStatusCondition(experiment.Status.Conditions, v1beta1.ConditionReconciling)
			}
			for range 2 {
				shown := pass(refresh)
				if shown == nil || shown.Status != metav1.ConditionFalse || shown.Reason != v1beta1.ReasonQuotaRefused ||
					!strings.Contains(shown.Message, "exceeded quota: small, used: 1") {
					t.Errorf("condition Reconciling is %+v", shown)
				}
			}
			if shown := pass(waitingRefresh); shown.Reason == v1beta1.ReasonQuotaRefused {
				t.Errorf("after the quota was raised, condition Reconciling is %+v", shown)
			}
		})
	}
}
