package sizing_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// With the stored steps and the real model, a stricter objective never raises the cost, and every
// recommendation keeps its limits. Other questions, and many candidates, have properties of their own.
func TestAStricterObjectiveOfARealExperimentNeverRaisesTheCost(t *testing.T) {
	experiment, trials := fixture.Quickstart()
	for _, demand := range []int32{3, 12} {
		chosen, costs := map[int32]bool{}, []int32{16}
		for _, objective := range []v1beta1.Objective{
			{P95Milliseconds: 3000}, {P95Milliseconds: 1000}, {P95Milliseconds: 1000, P99Milliseconds: ptr.To[int32](1000)},
			{P95Milliseconds: 300, P99Milliseconds: ptr.To[int32](600)}, {P95Milliseconds: 100, P99Milliseconds: ptr.To[int32](150)}, {P95Milliseconds: 20, P99Milliseconds: ptr.To[int32](20)},
		} {
			objective.MaxErrorPerMille = experiment.Spec.Objective.MaxErrorPerMille
			var spec v1beta1.SizingExperimentSpec
			got := askedAgain(t, experiment, trials, func(s *v1beta1.SizingExperimentSpec) {
				s.Objective = objective
				s.Demand = &v1beta1.Demand{
					LoginsPerSecond: intstr.FromInt32(demand), HeadroomPercent: ptr.To[int32](20), MinimumCost: ptr.To[int32](8),
					MaxTotalCPU: ptr.To(intstr.Parse("1500m")), MaxReplicas: ptr.To[int32](6),
				}
				spec = *s
			})
			if got.Cost > costs[len(costs)-1] {
				t.Errorf("with %+v cost %d is recommended, after %v", objective, got.Cost, costs)
			}
			chosen[got.Cost], costs = true, append(costs, got.Cost)
			keepsBounds(t, spec, got)
		}
		if len(chosen) < 2 {
			t.Errorf("the objective changes nothing: %v", costs)
		}
	}
}

func keepsBounds(t *testing.T, spec v1beta1.SizingExperimentSpec, got *v1beta1.Recommendation) {
	t.Helper()
	if got.Variant == "" {
		if got.BrokenBound == "" || got.Reason == "" {
			t.Errorf("nothing is recommended, without a reason: %+v", got)
		}
		return
	}
	total, most := resource.MustParse(got.TotalCPU), resource.MustParse(spec.Demand.MaxTotalCPU.String())
	if total.Cmp(most) > 0 || got.Replicas > *spec.Demand.MaxReplicas || got.Cost < *spec.Demand.MinimumCost {
		t.Errorf("%+v exceeds a limit of %+v", got.Size, spec.Demand)
	}
	needed := spec.Demand.MilliPerSecond() / 100 * int64(100+*spec.Demand.HeadroomPercent)
	if *got.CapacityMilliPerSecond < needed {
		t.Errorf("%+v serves less than %d/1000 s", got.Size, needed)
	}
	if got.P95Microseconds == nil || *got.P95Microseconds > 1050*int64(spec.Objective.P95Milliseconds) {
		t.Errorf("%s misses the objective of %d ms at the demand: %v", got.Variant, spec.Objective.P95Milliseconds, ptr.Deref(got.P95Microseconds, 0))
	}
}
