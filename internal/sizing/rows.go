package sizing

import (
	"math/big"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Rows fills the parts of the status that an experiment shows at any time: a row for each
// measured variant with its sizing for the demand and its prices, the speeds of the node
// pools, the hash times, and their fit. It returns the
// errors of matrix.Variants, and an error if a price is not a decimal.
//
// With evenly spaced logins a row has no sizing and no monthly price before Conclude, because
// the model first has to compute the capacity for random arrivals.
func Rows(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial, status *v1alpha1.SizingExperimentStatus) error {
	t, err := newTable(spec, trials, status.Verifications)
	if err != nil {
		return err
	}
	status.Speed = t.speeds
	status.Results = results.Results(t.measured, t.trials, spec.Baseline)
	for i := range status.Results {
		row := &status.Results[i]
		row.Price = t.price(row)
		if !t.respaced() {
			t.size(row, t.rowCandidate(row))
		}
	}
	results.PriceDifferences(status.Results, t.perMillion)
	status.HashTimes = results.HashTimes(t.trials)
	status.CostFits = results.CostFits(t.trials)
	return nil
}

// table is an experiment with what its rows are computed from.
type table struct {
	spec v1alpha1.SizingExperimentSpec
	// speeds are the speeds of the node pools. The trials are at their references.
	speeds []v1alpha1.PoolSpeed
	trials []v1alpha1.SizingTrial
	// measured are the variants that have a row, all are the variants of the matrix.
	measured, all []v1alpha1.Variant
	tariff        pricing.Tariff
	// question is the question of the demand, if asked.
	question Question
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
	t := &table{spec: spec, speeds: speed.Pools(trials), trials: trials, measured: measured, all: all, tariff: tariff}
	t.question, t.asked = QuestionOf(spec.Demand, tariff)
	t.question.Verifications, t.question.FastestMilliPerSecond = verifications, loadplan.FastestVerification(spec.Generator, spec.Load)
	return t, nil
}

// respaced reports whether logins were evenly spaced, so that the measured capacity does not
// apply to random arrivals.
func (t *table) respaced() bool { return t.spec.Load.Arrivals == v1alpha1.ArrivalsUniform }

// replicas returns the number of replicas in each trial. A row has their total capacity.
func (t *table) replicas() int64 { return int64(max(1, t.spec.Service.Replicas)) }

// variant returns the variant with a name. Every row has a variant of the matrix.
func (t *table) variant(name string) v1alpha1.Variant {
	for _, v := range t.all {
		if v.Name == name {
			return v
		}
	}
	return v1alpha1.Variant{Name: name}
}

// price returns the prices of a row: of a million logins at its capacity, and of guesses at
// its cost. The monthly price is added with the sizing.
func (t *table) price(row *v1alpha1.VariantResult) *v1alpha1.Price {
	price := v1alpha1.Price{PerMillionLogins: pricing.Text(t.perMillion(row))}
	price.AttackerPerBillionGuesses = pricing.Text(t.tariff.PerBillionGuesses(t.variant(row.Variant)))
	return unlessEmpty(price)
}

// unlessEmpty returns a pointer to the price, or nil if no price is known.
func unlessEmpty(price v1alpha1.Price) *v1alpha1.Price {
	if price == (v1alpha1.Price{}) {
		return nil
	}
	return &price
}

// perMillion returns the exact price of a million logins at a row's capacity, or nil if that
// is unknown.
func (t *table) perMillion(row *v1alpha1.VariantResult) *big.Rat {
	if row.CapacityMilliPerSecond == nil || trust(row.Verdict) == Invalid {
		return nil
	}
	c := t.rowCandidate(row)
	if c.MilliCPU == 0 {
		return nil
	}
	return t.tariff.PerMillionLogins(row.NodePool, c.Resources(t.replicas()), *row.CapacityMilliPerSecond)
}

// size adds the sizing and the monthly price to a row, unless the question does not admit
// its hash or its result is unusable.
func (t *table) size(row *v1alpha1.VariantResult, c Candidate) {
	if !t.asked || !t.question.Admits(c.Variant) || c.Trust == Invalid {
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
	return unlessEmpty(*price)
}
