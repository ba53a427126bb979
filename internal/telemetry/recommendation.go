package telemetry

import (
	"slices"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// The values of the label basis.
const (
	basisMeasured  = "Measured"
	basisPredicted = "Predicted"
)

var (
	demanded = define("experiment_demand_logins_per_second", "The login rate of the experiment's demand, without headroom.", ofExperiment)

	recommended = define("experiment_recommendation", "The size that the experiment recommends; always 1.", ofExperiment,
		"variant", "cost", "cpu_limit", "concurrency", "pool", "confidence", "verified", "basis")
	notRecommended = define("experiment_no_recommendation", "The limit that no size meets, if no size is recommended; always 1.", ofExperiment, "bound")
)

var recommendationReadings = []reading[*v1alpha1.Recommendation]{
	{define("experiment_recommended_replicas", "Replicas of the recommended size.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return float64(r.Replicas), true }},
	{define("experiment_recommended_cpus", "Total CPU limit of the replicas of the recommended size.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return cpus(r.TotalCPU) }},
	{define("experiment_recommended_p95_seconds", "The expected 95th percentile of login latency of the recommended size at the demanded rate.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return seconds(r.P95Microseconds) }},
	{define("experiment_recommended_capacity_logins_per_second", "The highest login rate at which the recommended size meets the objective.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return perSecond(r.CapacityMilliPerSecond) }},
}

var recommendedPriceReadings = []reading[*v1alpha1.Recommendation]{
	{define("experiment_recommended_price_per_month", "Price of the recommended size for a month of 730 hours.", ofExperiment, currency),
		func(r *v1alpha1.Recommendation) (float64, bool) { return decimal(r.PricePerMonth) }},
	{define("experiment_recommended_price_per_million_logins", "Price of a million logins at the demanded rate, with all replicas of the recommended size.", ofExperiment, currency),
		func(r *v1alpha1.Recommendation) (float64, bool) { return decimal(r.PricePerMillionLogins) }},
	{define("experiment_recommended_attacker_price_per_billion_guesses", "Price that an attacker pays for a billion guesses at the recommended cost.", ofExperiment, currency),
		func(r *v1alpha1.Recommendation) (float64, bool) { return decimal(r.AttackerPricePerBillionGuesses) }},
}

// recommendation adds the demand and the recommendation.
func (g *gathering) recommendation(e *v1alpha1.SizingExperiment) {
	values := []string{e.Namespace, e.Name}
	if e.Spec.Demand != nil {
		g.add(demanded, float64(e.Spec.Demand.LoginsPerSecond), values...)
	}
	r := e.Status.Recommendation
	if r == nil {
		return
	}
	if r.Variant == "" {
		g.add(notRecommended, 1, with(values, orNone(string(r.BrokenBound)))...)
		return
	}
	size := sizeValues(&r.Size)
	basis := basisMeasured
	if r.Predicted {
		basis = basisPredicted
	}
	g.add(recommended, 1, with(values, append(size, string(r.Confidence), string(r.Verified), basis)...)...)
	read(g, recommendationReadings, r, values)
	read(g, recommendedPriceReadings, r, with(values, currencyOf(e)))
	// A predicted variant has no row.
	if !slices.ContainsFunc(e.Status.Results, func(row v1alpha1.VariantResult) bool { return row.Variant == r.Variant }) {
		g.add(variantRecommended, 1, e.Namespace, e.Name, size[0], string(v1alpha1.AlgorithmBcrypt), size[1], size[2], size[3], size[4])
	}
}

// sizeValues returns the variant, the cost (empty for a hash without one), the CPU limit,
// the concurrency and the pool of a size.
func sizeValues(size *v1alpha1.Size) []string {
	concurrency := ""
	if size.Concurrency != nil {
		concurrency = results.Concurrency(*size.Concurrency)
	}
	cost := ""
	if size.Cost > 0 {
		cost = strconv.Itoa(int(size.Cost))
	}
	return []string{size.Variant, cost, size.CPULimit, concurrency, size.NodePool}
}
