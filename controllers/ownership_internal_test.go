package controllers

import (
	"testing"
	"time"

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
	begun := experiment("ours", 10)
	begun[0].(*v1beta1.SizingExperiment).Status.StartTime = &metav1.Time{Time: time.Unix(1, 0)}
	planning := experiment("ours", 8)
	planning[0].(*v1beta1.SizingExperiment).Status.StartTime = &metav1.Time{Time: time.Unix(1, 0)}
	for _, tt := range []struct {
		name         string
		cached, live []client.Object
		label        string
		want         lifecycle.Ownership
		may          bool // whether it may begin, if it has its turn
	}{
		{"it is planned, and the experiment has not begun", ours, ours, "ours", lifecycle.Planned, false},
		{"it is planned, and the experiment has begun", planning, planning, "ours", lifecycle.Planned, true},
		{"the cache lacks the experiment", nil, planning, "ours", lifecycle.Planned, true},
		{"the cache has an earlier experiment of this name", recreated, planning, "ours", lifecycle.Planned, true},
		{"the cache has an earlier plan", other, planning, "ours", lifecycle.Planned, true},
		{"the cache does not know that the experiment has begun", ours, planning, "ours", lifecycle.Planned, false},
		{"the experiment is deleted", nil, nil, "ours", lifecycle.ExperimentGone, true},
		{"the experiment was recreated", nil, recreated, "ours", lifecycle.ExperimentGone, true},
		{"the experiment was edited before it began", other, other, "ours", lifecycle.Planned, false},
		{"the experiment was edited before it began, and somebody else made the trial", other, other, "", lifecycle.NotPlanned, false},
		{"the experiment plans others, and has begun", begun, begun, "ours", lifecycle.NotPlanned, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &TrialReconciler{Client: having(tt.cached...), Live: having(tt.live...)}
			trial := trial.DeepCopy()
			trial.Labels = map[string]string{v1beta1.LabelExperimentUID: tt.label}
			seen := &lifecycle.Observation{Trial: trial}
			if err := r.observeOwnership(t.Context(), seen); err != nil || seen.Ownership != tt.want {
				t.Errorf("the ownership of the trial is %v, %v; want %v", seen.Ownership, err, tt.want)
			}
			if seen.NoTurn == tt.may {
				t.Errorf("the trial may begin: %t, want %t", !seen.NoTurn, tt.may)
			}
		})
	}
}
