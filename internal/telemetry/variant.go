package telemetry

import (
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/results"
)

var ofVariant = []string{"namespace", "experiment", "variant", "algorithm", "cost", "cpu_limit", "concurrency", "pool"}

var (
	variantVerdict = define("variant_verdict", "The verdict on the variant's numbers; always 1.", ofVariant, "verdict")
	variantReason  = define("variant_reason", "A reason for the variant's verdict, or for missing numbers; always 1.", ofVariant, "reason")
)

// outcome is a variant's row with its trials.
type outcome struct {
	*v1beta1.VariantResult
	trials []*v1beta1.SizingTrial
}

// variantReadings are those of the figures, and two that are no figures.
var variantReadings = append(figureReadings(),
	reading[outcome]{define("variant_error_ratio", "Share of the reported step's logins without a complete response with status 200.", ofVariant), (*outcome).errorRatio},
	reading[outcome]{define("variant_objective_met", "1 if some login rate meets the objective, 0 if none does.", ofVariant),
		func(o *outcome) (float64, bool) { return truth(o.ObjectiveMet) }},
)

func figureReadings() (all []reading[outcome]) {
	for _, f := range results.Figures {
		if f.Help == "" {
			continue
		}
		all = append(all, reading[outcome]{define("variant_"+f.Series(), f.Help, ofVariant), func(o *outcome) (float64, bool) {
			return scaled(f.Of(o.VariantResult), f.Unit.PerSeries)
		}})
	}
	return all
}

func (g *gathering) variants(e *v1beta1.SizingExperiment, trials []*v1beta1.SizingTrial) {
	planned := map[string]*v1beta1.Variant{}
	// An invalid matrix was refused, and has no rows.
	variants, _ := matrix.Variants(e.Spec.Matrix)
	for i := range variants {
		planned[variants[i].Name] = &variants[i]
	}
	measured := map[string][]*v1beta1.SizingTrial{}
	for _, trial := range trials {
		if trial.Spec.Role == v1beta1.RoleVerification || trial.Spec.Role == v1beta1.RoleCalibration {
			continue
		}
		measured[trial.Spec.Variant.Name] = append(measured[trial.Spec.Variant.Name], trial)
	}
	for i := range e.Status.Results {
		row := &e.Status.Results[i]
		g.variant(e, &outcome{row, measured[row.Variant]}, planned[row.Variant])
		g.steps(e, row.Variant, measured[row.Variant])
	}
}

func (g *gathering) variant(e *v1beta1.SizingExperiment, o *outcome, planned *v1beta1.Variant) {
	values := variantValues(e, o.VariantResult, planned)
	read(g, variantReadings, o, values)
	g.sizing(e, o.VariantResult, values)
	g.add(variantVerdict, 1, with(values, string(o.Verdict))...)
	kinds := distinct{}
	for _, reason := range o.Reasons {
		if kind := orNone(reason.Type); kinds.add(kind) {
			g.add(variantReason, 1, with(values, kind)...)
		}
	}
}

// variantValues returns the label values of a variant. A label that does not apply, such as
// the cost of Argon2id, is empty.
func variantValues(e *v1beta1.SizingExperiment, row *v1beta1.VariantResult, planned *v1beta1.Variant) []string {
	concurrency := ""
	if planned != nil {
		concurrency = results.Concurrency(planned.Concurrency)
	}
	return []string{e.Namespace, e.Name, row.Variant, string(row.Hash.Kind()), costLabel(row.Hash.Cost()), row.CPULimit, concurrency, row.NodePool}
}

var variantRecommended = define("variant_recommended",
	"1 for the variant that the experiment recommends, 0 for all others; absent before there is a recommendation.", ofVariant)

var sizingReadings = []reading[v1beta1.Sizing]{
	{define("variant_replicas", "Replicas of the variant that serve the demand with headroom.", ofVariant),
		func(s *v1beta1.Sizing) (float64, bool) { return float64(s.Replicas), true }},
	{define("variant_total_cpus", "Total CPU limit of the replicas that serve the demand with headroom.", ofVariant),
		func(s *v1beta1.Sizing) (float64, bool) { return cpus(s.TotalCPU) }},
}

var differenceReadings = []reading[v1beta1.Comparison]{
	{define("variant_p95_difference_ratio", "Difference of the p95 at the reported step from the baseline's, divided by the baseline's.", ofVariant),
		func(c *v1beta1.Comparison) (float64, bool) { return difference(c.P95) }},
	{define("variant_capacity_difference_ratio", "Difference of the capacity from the baseline's, divided by the baseline's.", ofVariant),
		func(c *v1beta1.Comparison) (float64, bool) { return difference(c.Capacity) }},
	{define("variant_price_difference_ratio", "Difference of the price of a million logins from the baseline's, divided by the baseline's.", ofVariant),
		func(c *v1beta1.Comparison) (float64, bool) { return difference(c.PricePerMillionLogins) }},
}

func difference(d *v1beta1.Difference) (float64, bool) {
	if d == nil {
		return 0, false
	}
	return float64(d.PerMille) / 1000, true
}

func perMillionLogins(p *v1beta1.Price) (float64, bool) { return decimal(p.PerMillionLogins) }

var priceReadings = []reading[v1beta1.Price]{
	{define("variant_price_per_million_logins", "Price of a million logins at the variant's capacity.", ofVariant, currency), perMillionLogins},
	{define("variant_price_per_month", "Price of the replicas that serve the demand for a month of 730 hours.", ofVariant, currency),
		func(p *v1beta1.Price) (float64, bool) { return decimal(p.PerMonth) }},
	{define("variant_attacker_price_per_billion_guesses", "Price that an attacker pays for a billion guesses at the variant's cost.", ofVariant, currency),
		func(p *v1beta1.Price) (float64, bool) { return decimal(p.AttackerPerBillionGuesses) }},
}

func (g *gathering) sizing(e *v1beta1.SizingExperiment, row *v1beta1.VariantResult, values []string) {
	read(g, sizingReadings, row.Sizing, values)
	read(g, differenceReadings, row.Comparison, values)
	read(g, priceReadings, row.Price, with(values, currencyOf(e)))
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
