package sizing_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	. "github.com/hashmark-dev/hashmark/internal/sizing"
)

func TestAsk(t *testing.T) {
	usual := Question{MilliPerSecond: 5000, HeadroomPercent: 30, MinimumCost: 10, MaxReplicas: 10_000}
	within := func(milli int64) Question { q := usual; q.MaxMilliCPU = milli; return q }
	for name, c := range map[string]struct {
		demand v1beta1.Demand
		want   Question
	}{
		"absent fields have the schema's defaults": {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5)}, usual},
		"CPU counts in thousandths":                {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MaxTotalCPU: ptr.To(intstr.Parse("1.5"))}, within(1500)},
		"a part of a thousandth is rounded down":   {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MaxTotalCPU: ptr.To(intstr.Parse("1500500u"))}, within(1500)},
		"a tiny limit is not no limit":             {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MaxTotalCPU: ptr.To(intstr.Parse("1n"))}, within(1)},
		"a huge limit is capped":                   {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MaxTotalCPU: ptr.To(intstr.Parse("9E"))}, within(640_000_000)},
		"other hashes are allowed":                 {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), Hashes: []v1beta1.HashKind{v1beta1.HashArgon2id}}, func() Question { q := usual; q.Hashes = []v1beta1.HashKind{v1beta1.HashArgon2id}; return q }()},
		"replicas can be down":                     {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), SurviveReplicas: ptr.To[int32](2)}, func() Question { q := usual; q.Survive = 2; return q }()},
		"explicit values replace defaults":         {v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), HeadroomPercent: ptr.To[int32](0), MinimumCost: ptr.To[int32](4), MaxReplicas: ptr.To[int32](1)}, Question{MilliPerSecond: 5000, MinimumCost: 4, MaxReplicas: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			asked, ok := QuestionOf(v1beta1.SizingExperimentSpec{Demand: &c.demand}, pricing.Tariff{}, nil)
			if diff := cmp.Diff(c.want, asked, cmpopts.IgnoreFields(Question{}, "Tariff", "FastestMilliPerSecond")); diff != "" || !ok {
				t.Errorf("asked %v (-want +asked)\n%s", ok, diff)
			}
		})
	}
	if _, ok := QuestionOf(v1beta1.SizingExperimentSpec{}, pricing.Tariff{}, nil); ok {
		t.Error("Ask returned a question without a demand")
	}
}

func on(pool string) func(*Candidate) {
	return func(c *Candidate) { c.Variant.NodePool = &v1beta1.NodePool{Name: pool} }
}

// Of two sizes that fit, the first in the order is recommended, and the second is the
// runner-up.
func TestOrder(t *testing.T) {
	dearAndCheap := prices(t, "1", v1beta1.NodePool{Name: "dear", PerCPUHour: ptr.To(intstr.Parse("3"))}, v1beta1.NodePool{Name: "cheap", PerCPUHour: ptr.To(intstr.Parse("1"))})
	onePriced, err := pricing.Of(&v1beta1.Prices{}, []v1beta1.NodePool{{Name: "cheap", PerCPUHour: ptr.To(intstr.Parse("1"))}, {Name: "dear"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tariff       pricing.Tariff
		better, next Candidate
	}{
		"a higher cost wins over any price":          {dearAndCheap, replica("a", 11, 4000, 9000, on("dear")), replica("b", 10, 250, 9000, on("cheap"))},
		"a lower price wins over less CPU":           {dearAndCheap, replica("a", 10, 1000, 9000, on("cheap")), replica("b", 10, 500, 9000, on("dear"))},
		"if one has no price, less CPU wins":         {onePriced, replica("a", 10, 500, 9000, on("dear")), replica("b", 10, 1000, 9000, on("cheap"))},
		"without prices less CPU wins":               {pricing.Tariff{}, replica("z", 10, 500, 9000), replica("b", 10, 1000, 9000)},
		"with the same CPU, fewer replicas win":      {pricing.Tariff{}, replica("z", 10, 1000, 9000), replica("b", 10, 500, 4000)},
		"with the same replicas, more capacity wins": {pricing.Tariff{}, replica("z", 10, 500, 9000), replica("b", 10, 500, 8000)},
		"between equal sizes, the name decides":      {pricing.Tariff{}, replica("a", 10, 500, 9000), replica("b", 10, 500, 9000)},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(fivePerSecond(func(q *Question) { q.Tariff = c.tariff }), []Candidate{c.next, c.better})
			if got.Variant != c.better.Variant.Name || got.RunnerUp == nil || got.RunnerUp.Variant != c.next.Variant.Name {
				t.Errorf("recommended: %s, and next %+v", got.Variant, got.RunnerUp)
			}
		})
	}
}
