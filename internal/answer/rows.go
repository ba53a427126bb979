package answer

import (
	"math/big"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/recommendation"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/summary"
)

// Rows fills what an experiment shows at any time: a row for each variant that is
// measured, with what it takes to serve the demand and what that costs, the
// reference speeds that rows are converted to, the times of hashes, their fit, and
// the noise floor. Errors: those of matrix.Variants, and
// prices that are no decimals.
//
// Of logins that were evenly spaced a row has neither sizing nor monthly price
// before Conclude: the model has to say first what they would come to by chance.
func Rows(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial, status *v1alpha1.SizingExperimentStatus) error {
	t, err := newTable(spec, trials, status.Verifications)
	if err != nil {
		return err
	}
	status.Speed = t.speeds
	status.Results = summary.Results(t.measured, t.trials, spec.Baseline)
	for i := range status.Results {
		row := &status.Results[i]
		row.Price = t.price(row)
		if !t.respaced() {
			t.size(row, t.rowCandidate(row))
		}
	}
	summary.PriceDifferences(status.Results, t.perMillion)
	status.HashTimes = summary.HashTimes(t.trials)
	status.CostFits = summary.CostFits(t.trials)
	status.NoiseFloor = summary.NoiseFloor(t.measured, t.trials)
	return nil
}

// table is an experiment as its rows are made.
type table struct {
	spec v1alpha1.SizingExperimentSpec
	// speeds are the reference speeds of the node pools, and trials are converted to
	// them.
	speeds []v1alpha1.PoolSpeed
	trials []v1alpha1.SizingTrial
	// measured are the variants that have a row, all those of the matrix too.
	measured, all []v1alpha1.Variant
	tariff        pricing.Tariff
	// question is what the demand asks, where asked.
	question recommendation.Question
	asked    bool
}

func newTable(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial, verifications []v1alpha1.Verification) (*table, error) {
	trials = matrix.Measurements(trials)
	all, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return nil, err
	}
	measured, err := matrix.Measured(spec.Matrix)
	if err != nil {
		return nil, err
	}
	tariff, err := pricing.Of(spec.Prices, spec.Matrix.NodePools)
	if err != nil {
		return nil, err
	}
	speeds := speed.Pools(trials)
	t := &table{
		spec: spec, speeds: speeds, trials: speed.AtReference(trials, speeds),
		measured: measured, all: all, tariff: tariff,
	}
	t.question, t.asked = recommendation.Ask(spec.Demand, tariff)
	t.question.Verifications, t.question.FastestMilliPerSecond = verifications, loadplan.FastestVerification(spec.Generator, spec.Load)
	return t, nil
}

// respaced tells that logins were evenly spaced, so that what was measured says
// little of logins that come by chance.
func (t *table) respaced() bool { return t.spec.Load.Arrivals == v1alpha1.ArrivalsUniform }

// replicas that each trial ran, whose capacity a row tells.
func (t *table) replicas() int64 { return int64(max(1, t.spec.Service.Replicas)) }

// variant of a row; a row has no other than those of the matrix.
func (t *table) variant(name string) v1alpha1.Variant {
	for _, v := range t.all {
		if v.Name == name {
			return v
		}
	}
	return v1alpha1.Variant{Name: name}
}

// price of a row: what a million logins cost at its capacity, and guesses at its
// cost. The price of a month comes with the sizing.
func (t *table) price(row *v1alpha1.VariantResult) *v1alpha1.Price {
	price := v1alpha1.Price{PerMillionLogins: pricing.Text(t.perMillion(row))}
	price.AttackerPerBillionGuesses = pricing.Text(t.tariff.PerBillionGuesses(t.variant(row.Variant)))
	return told(price)
}

// told is a price of which something is known, or nil.
func told(price v1alpha1.Price) *v1alpha1.Price {
	if price == (v1alpha1.Price{}) {
		return nil
	}
	return &price
}

// perMillion is the exact price of a million logins at a row's capacity; nil
// where that is not known.
func (t *table) perMillion(row *v1alpha1.VariantResult) *big.Rat {
	if row.CapacityMilliPerSecond == nil || standing(row.Verdict) == recommendation.Unusable {
		return nil
	}
	c := t.rowCandidate(row)
	if c.MilliCPU == 0 {
		return nil
	}
	return t.tariff.PerMillionLogins(row.NodePool, c.Resources(t.replicas()), *row.CapacityMilliPerSecond)
}

// size adds to a row what it takes to serve the demand, unless the question does not
// admit its hash, or its result is not to be believed.
func (t *table) size(row *v1alpha1.VariantResult, c recommendation.Candidate) {
	if !t.asked || !t.question.Admits(c.Variant) || c.Standing == recommendation.Unusable {
		return
	}
	row.Sizing = t.question.Sizing(c)
	row.Price = withMonth(row.Price, t.question.PerMonth(c))
}

func withMonth(price *v1alpha1.Price, month string) *v1alpha1.Price {
	if price == nil {
		price = &v1alpha1.Price{}
	}
	price.PerMonth = month
	return told(*price)
}
