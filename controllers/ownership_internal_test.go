package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// A cache that is behind may lack an experiment whose trial another cache has.
func TestATrialIsRefusedOnlyIfTheAPIServerHasNoPlanOfIt(t *testing.T) {
	experiment := func(uid types.UID, cost int32) []client.Object {
		return []client.Object{&v1beta1.SizingExperiment{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: uid},
			Spec: v1beta1.SizingExperimentSpec{
				Matrix: v1beta1.Matrix{Costs: []int32{cost}, CPULimits: fixture.Limits("500m")}, Repetitions: ptr.To[int32](1),
			},
		}}
	}
	ours, recreated, other := experiment("ours", 8), experiment("recreated", 8), experiment("ours", 10)
	owner := ours[0].(*v1beta1.SizingExperiment)
	planned, err := matrix.Plan(owner, matrix.Seed(owner))
	if err != nil {
		t.Fatal(err)
	}
	trial := &v1beta1.SizingTrial{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: planned[0].Name, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(owner, v1beta1.GroupVersion.WithKind(experimentKind)),
		}},
		Spec: planned[0].Spec,
	}
	for _, tt := range []struct {
		name         string
		cached, live []client.Object
		want         lifecycle.Ownership
	}{
		{"it is planned", ours, ours, lifecycle.Planned},
		{"the cache lacks the experiment", nil, ours, lifecycle.Planned},
		{"the cache has an earlier experiment of this name", recreated, ours, lifecycle.Planned},
		{"the cache has an earlier plan", other, ours, lifecycle.Planned},
		{"the experiment is deleted", nil, nil, lifecycle.ExperimentGone},
		{"the experiment was recreated", nil, recreated, lifecycle.ExperimentGone},
		{"the experiment plans others", other, other, lifecycle.NotPlanned},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &TrialReconciler{Client: having(tt.cached...), Live: having(tt.live...)}
			seen := &lifecycle.Observation{Trial: trial}
			if err := r.observeOwnership(t.Context(), seen); err != nil || seen.Ownership != tt.want {
				t.Errorf("the ownership of the trial is %v, %v; want %v", seen.Ownership, err, tt.want)
			}
		})
	}
}
