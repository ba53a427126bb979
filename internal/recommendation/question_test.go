package recommendation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	. "github.com/hashmark-dev/hashmark/internal/recommendation"
)

func TestAsk(t *testing.T) {
	usual := Question{MilliPerSecond: 5000, HeadroomPercent: 30, MinimumCost: 10, MaxReplicas: 10_000}
	within := func(milli int64) Question { q := usual; q.MaxMilliCPU = milli; return q }
	for name, c := range map[string]struct {
		demand v1alpha1.Demand
		want   Question
	}{
		"what is absent has the schema's default":  {v1alpha1.Demand{LoginsPerSecond: 5}, usual},
		"CPU counts in thousandths":                {v1alpha1.Demand{LoginsPerSecond: 5, MaxTotalCPU: "1.5"}, within(1500)},
		"a part of a thousandth is not within":     {v1alpha1.Demand{LoginsPerSecond: 5, MaxTotalCPU: "1500500u"}, within(1500)},
		"next to nothing is not any amount":        {v1alpha1.Demand{LoginsPerSecond: 5, MaxTotalCPU: "1n"}, within(1)},
		"more than there can be is all there is":   {v1alpha1.Demand{LoginsPerSecond: 5, MaxTotalCPU: "9E"}, within(640_000_000)},
		"other hashes may answer":                  {v1alpha1.Demand{LoginsPerSecond: 5, Hashes: []v1alpha1.Algorithm{v1alpha1.AlgorithmArgon2id}}, func() Question { q := usual; q.Hashes = []v1alpha1.Algorithm{v1alpha1.AlgorithmArgon2id}; return q }()},
		"replicas may be down":                     {v1alpha1.Demand{LoginsPerSecond: 5, SurviveReplicas: ptr.To[int32](2)}, func() Question { q := usual; q.Survive = 2; return q }()},
		"zeros that are asked for are no defaults": {v1alpha1.Demand{LoginsPerSecond: 5, HeadroomPercent: ptr.To[int32](0), MinimumCost: ptr.To[int32](4), MaxReplicas: ptr.To[int32](1)}, Question{MilliPerSecond: 5000, MinimumCost: 4, MaxReplicas: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			asked, ok := Ask(&c.demand, pricing.Tariff{})
			if diff := cmp.Diff(c.want, asked, cmpopts.IgnoreFields(Question{}, "Tariff")); diff != "" || !ok {
				t.Errorf("asked %v (-want +asked)\n%s", ok, diff)
			}
		})
	}
	if _, ok := Ask(nil, pricing.Tariff{}); ok {
		t.Error("no demand is a question")
	}
}

func on(pool string) func(*Candidate) {
	return func(c *Candidate) { c.Variant.NodePool = &v1alpha1.NodePool{Name: pool} }
}

// Of two sizes of a cost that fit, the first of the order is recommended, and the
// second is the next best.
func TestOrder(t *testing.T) {
	dearAndCheap := prices(t, "1", v1alpha1.NodePool{Name: "dear", PerCPUHour: "3"}, v1alpha1.NodePool{Name: "cheap", PerCPUHour: "1"})
	onePriced, err := pricing.Of(&v1alpha1.Prices{}, []v1alpha1.NodePool{{Name: "cheap", PerCPUHour: "1"}, {Name: "dear"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tariff       pricing.Tariff
		better, next Candidate
	}{
		"a higher cost goes before any price":      {dearAndCheap, replica("a", 11, 4000, 9000, on("dear")), replica("b", 10, 250, 9000, on("cheap"))},
		"a lower price goes before less CPU":       {dearAndCheap, replica("a", 10, 1000, 9000, on("cheap")), replica("b", 10, 500, 9000, on("dear"))},
		"where one has no price, less CPU goes":    {onePriced, replica("a", 10, 500, 9000, on("dear")), replica("b", 10, 1000, 9000, on("cheap"))},
		"without prices less CPU goes":             {pricing.Tariff{}, replica("z", 10, 500, 9000), replica("b", 10, 1000, 9000)},
		"of the same CPU, fewer replicas go":       {pricing.Tariff{}, replica("z", 10, 1000, 9000), replica("b", 10, 500, 4000)},
		"of the same replicas, more capacity goes": {pricing.Tariff{}, replica("z", 10, 500, 9000), replica("b", 10, 500, 8000)},
		"of equals, the name decides":              {pricing.Tariff{}, replica("a", 10, 500, 9000), replica("b", 10, 500, 9000)},
	} {
		t.Run(name, func(t *testing.T) {
			told := Of(fivePerSecond(func(q *Question) { q.Tariff = c.tariff }), []Candidate{c.next, c.better})
			if told.Variant != c.better.Variant.Name || told.RunnerUp == nil || told.RunnerUp.Variant != c.next.Variant.Name {
				t.Errorf("recommended: %s, and next %+v", told.Variant, told.RunnerUp)
			}
		})
	}
}
