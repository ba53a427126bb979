package controllers

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// The API server stores no object that is larger than etcd's limit. Here it is one of a few hundred
// bytes.
func TestAStatusThatIsTooLargeIsWrittenInAShorterForm(t *testing.T) {
	experiment := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: "e"}}
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login-1", UID: "t"}}
	writes := 0
	c := serving(experiment, trial).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
				writes++
				if data, err := patch.Data(o); err != nil || len(data) > 2000 {
					return apierrors.NewRequestEntityTooLargeError("limit is 2000")
				}
				return c.SubResource(sub).Patch(ctx, o, patch, opts...)
			},
		}).Build()

	before := experiment.DeepCopy()
	for range 50 {
		experiment.Status.Results = append(experiment.Status.Results, v1beta1.VariantResult{Variant: strings.Repeat("c", 50)})
	}
	experiment.Status.Phase = v1beta1.ExperimentRunning
	meta.SetStatusCondition(&experiment.Status.Conditions, metav1.Condition{Type: v1beta1.ConditionReconciling, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonMeasuring})
	if err := patchStatus(t.Context(), c, c, experiment, before); err != nil {
		t.Fatal(err)
	}
	if e := experiment; e.Status.Phase != v1beta1.ExperimentRunning || !strings.Contains(e.Status.Conditions[0].Message, "too large") {
		t.Errorf("the experiment is %s, %+v", e.Status.Phase, e.Status.Conditions)
	}

	old := trial.DeepCopy()
	trial.Status.Phase, trial.Status.Message = v1beta1.TrialRunning, "Measured"
	for range 32 {
		trial.Status.Leftovers = append(trial.Status.Leftovers, strings.Repeat("p", 100))
	}
	if err := patchStatus(t.Context(), c, c, trial, old); err != nil {
		t.Fatal(err)
	}
	if s := trial.Status; s.Phase != v1beta1.TrialRunning || !strings.Contains(s.Message, "too large") || len(s.Leftovers) > 0 {
		t.Errorf("the trial is %s: %s", s.Phase, s.Message)
	}
	if writes != 4 {
		t.Errorf("there were %d writes, want two for each", writes)
	}
}
