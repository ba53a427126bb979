package telemetry

import "github.com/hashmark-dev/hashmark/api/v1alpha1"

var variantRecommended = define("variant_recommended",
	"1 for the variant that the experiment recommends, 0 for all others; absent before there is a recommendation.", ofVariant)

// sizingReadings are what a variant needs to serve the demand, and how it differs from the
// baseline.
var sizingReadings = []reading[*v1alpha1.VariantResult]{
	{define("variant_replicas", "Replicas of the variant that serve the demand with headroom.", ofVariant),
		func(r *v1alpha1.VariantResult) (float64, bool) {
			if r.Sizing == nil {
				return 0, false
			}
			return float64(r.Sizing.Replicas), true
		}},
	{define("variant_total_cpus", "Total CPU limit of the replicas that serve the demand with headroom.", ofVariant),
		func(r *v1alpha1.VariantResult) (float64, bool) {
			if r.Sizing == nil {
				return 0, false
			}
			return cpus(r.Sizing.TotalCPU)
		}},
	{define("variant_p95_difference_ratio", "Difference of the p95 at the reported step from the baseline's, divided by the baseline's.", ofVariant),
		difference(func(c *v1alpha1.Comparison) *v1alpha1.Difference { return c.P95 })},
	{define("variant_capacity_difference_ratio", "Difference of the capacity from the baseline's, divided by the baseline's.", ofVariant),
		difference(func(c *v1alpha1.Comparison) *v1alpha1.Difference { return c.Capacity })},
	{define("variant_price_difference_ratio", "Difference of the price of a million logins from the baseline's, divided by the baseline's.", ofVariant),
		difference(func(c *v1alpha1.Comparison) *v1alpha1.Difference { return c.PricePerMillionLogins })},
}

// difference returns a function that reads one of a row's differences from the baseline.
func difference(field func(*v1alpha1.Comparison) *v1alpha1.Difference) func(*v1alpha1.VariantResult) (float64, bool) {
	return func(r *v1alpha1.VariantResult) (float64, bool) {
		if r.Comparison == nil || field(r.Comparison) == nil {
			return 0, false
		}
		return float64(field(r.Comparison).PerMille) / 1000, true
	}
}

var priceReadings = []reading[*v1alpha1.Price]{
	{define("variant_price_per_million_logins", "Price of a million logins at the variant's capacity.", ofVariant, currency),
		func(p *v1alpha1.Price) (float64, bool) { return decimal(p.PerMillionLogins) }},
	{define("variant_price_per_month", "Price of the replicas that serve the demand for a month of 730 hours.", ofVariant, currency),
		func(p *v1alpha1.Price) (float64, bool) { return decimal(p.PerMonth) }},
	{define("variant_attacker_price_per_billion_guesses", "Price that an attacker pays for a billion guesses at the variant's cost.", ofVariant, currency),
		func(p *v1alpha1.Price) (float64, bool) { return decimal(p.AttackerPerBillionGuesses) }},
}

// sizing adds the size and the prices of a row, and whether it is recommended.
func (g *gathering) sizing(e *v1alpha1.SizingExperiment, row *v1alpha1.VariantResult, values []string) {
	read(g, sizingReadings, row, values)
	if row.Price != nil {
		read(g, priceReadings, row.Price, with(values, currencyOf(e)))
	}
	recommendation := e.Status.Recommendation
	if recommendation == nil {
		return
	}
	chosen := 0.0
	if row.Variant == recommendation.Variant {
		chosen = 1
	}
	g.add(variantRecommended, chosen, values...)
}
