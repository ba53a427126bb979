package telemetry

import (
	"slices"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
)

// What a size rests on, as a label says it.
const (
	basisMeasured  = "Measured"
	basisPredicted = "Predicted"
)

var (
	demanded = define("experiment_demand_logins_per_second", "The login rate that the experiment asks to be served, without headroom.", ofExperiment)

	recommended = define("experiment_recommendation", "The size that the experiment recommends; always 1.", ofExperiment,
		"variant", "cost", "cpu_limit", "concurrency", "pool", "confidence", "verified", "basis")
	notRecommended = define("experiment_no_recommendation", "The bound that broke first where no size fits; always 1.", ofExperiment, "bound")
)

var recommendationReadings = []reading[*v1alpha1.Recommendation]{
	{define("experiment_recommended_replicas", "Replicas of the size that is recommended.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return float64(r.Replicas), true }},
	{define("experiment_recommended_cpus", "The CPU limits of all those replicas together.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return cpus(r.TotalCPU) }},
	{define("experiment_recommended_p95_seconds", "The 95th percentile of login latency that is expected of them at the demanded rate.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return seconds(r.P95Microseconds) }},
	{define("experiment_recommended_capacity_logins_per_second", "The highest login rate at which all of them together meet the objective.", ofExperiment),
		func(r *v1alpha1.Recommendation) (float64, bool) { return perSecond(r.CapacityMilliPerSecond) }},
}

var recommendedPriceReadings = []reading[*v1alpha1.Recommendation]{
	{define("experiment_recommended_price_per_month", "What all of them cost in a month of 730 hours.", ofExperiment, currency),
		func(r *v1alpha1.Recommendation) (float64, bool) { return decimal(r.PricePerMonth) }},
	{define("experiment_recommended_price_per_million_logins", "What a million logins cost at the demanded rate, all of them paid for.", ofExperiment, currency),
		func(r *v1alpha1.Recommendation) (float64, bool) { return decimal(r.PricePerMillionLogins) }},
	{define("experiment_recommended_attacker_price_per_billion_guesses", "What an attacker pays for a billion guesses at the recommended cost.", ofExperiment, currency),
		func(r *v1alpha1.Recommendation) (float64, bool) { return decimal(r.AttackerPricePerBillionGuesses) }},
}

// recommendation adds what was asked for, and the answer.
func (g *gathering) recommendation(e *v1alpha1.SizingExperiment) {
	values := []string{e.Namespace, e.Name}
	if e.Spec.Demand != nil {
		g.add(demanded, float64(e.Spec.Demand.LoginsPerSecond), values...)
	}
	answer := e.Status.Recommendation
	if answer == nil {
		return
	}
	if answer.Variant == "" {
		g.add(notRecommended, 1, with(values, orNone(string(answer.BrokenBound)))...)
		return
	}
	size := sizeValues(&answer.Size)
	basis := basisMeasured
	if answer.Predicted {
		basis = basisPredicted
	}
	g.add(recommended, 1, with(values, append(size, string(answer.Confidence), string(answer.Verified), basis)...)...)
	read(g, recommendationReadings, answer, values)
	read(g, recommendedPriceReadings, answer, with(values, currencyOf(e)))
	// One that was predicted has no row that could say so.
	if !slices.ContainsFunc(e.Status.Results, func(row v1alpha1.VariantResult) bool { return row.Variant == answer.Variant }) {
		g.add(variantRecommended, 1, e.Namespace, e.Name, size[0], string(v1alpha1.AlgorithmBcrypt), size[1], size[2], size[3], size[4])
	}
}

// sizeValues are a size's variant, cost (empty for a hash that has none), CPU limit,
// concurrency and pool.
func sizeValues(size *v1alpha1.Size) []string {
	concurrency := ""
	if size.Concurrency != nil {
		concurrency = summary.Concurrency(*size.Concurrency)
	}
	cost := ""
	if size.Cost > 0 {
		cost = strconv.Itoa(int(size.Cost))
	}
	return []string{size.Variant, cost, size.CPULimit, concurrency, size.NodePool}
}
