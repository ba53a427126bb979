package sizing

import (
	"math"
	"math/big"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Rows fills the parts of the status that an experiment shows at any time: a row for each measured variant
// with its sizing and prices, the speeds of the node pools, the hash times, and their fit. It returns the
// errors of matrix.Variants, and an error if a price is not a decimal.
//
// With evenly spaced logins a row has no sizing and no monthly price before Conclude, because the model
// first has to compute the capacity for random arrivals.
func Rows(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, status *v1beta1.SizingExperimentStatus) error {
	t, err := newTable(spec, trials, status.Verifications)
	if err == nil {
		t.rows(status)
	}
	return err
}

// table is an experiment with what its rows are computed from.
type table struct {
	spec   v1beta1.SizingExperimentSpec
	speeds []v1beta1.PoolSpeed
	// without returns the speeds without the pods of some verifications, by the names of their trials.
	without func(names []string) []v1beta1.PoolSpeed
	trials  []v1beta1.SizingTrial
	// measured are the variants that have a row, all are the variants of the matrix.
	measured, all []v1beta1.Variant
	tariff        pricing.Tariff
	// question is the question of the demand, if asked.
	question Question
	asked    bool
	// service returns one replica of a variant for the simulation, or false if it is unknown.
	service func(v1beta1.Variant) (model.Service, bool)
	// calibrated reports that only hash times are known.
	calibrated bool
	// decides means measure: Decision, in which what was measured corrects the predictions.
	decides bool
}

func newTable(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, verifications []v1beta1.Verification) (*table, error) {
	var fresh []v1beta1.SizingTrial
	for _, trial := range trials {
		if isDecidedVerification(trial) {
			fresh = append(fresh, trial)
		}
	}
	trials = matrix.Timed(trials)
	all, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return nil, err
	}
	measured, err := matrix.Measured(spec, trials)
	if err != nil {
		return nil, err
	}
	tariff, err := pricing.Of(spec.Prices, spec.Matrix.NodePools)
	if err != nil {
		return nil, err
	}
	t := &table{spec: spec, speeds: speedsWith(trials, fresh), trials: trials, measured: measured, all: all, tariff: tariff}
	t.decides = matrix.Measuring(spec) == v1beta1.MeasureDecision
	t.question, t.asked = QuestionOf(spec, tariff, verifications)
	t.without = func(names []string) []v1beta1.PoolSpeed {
		return speedsWith(trials, slices.DeleteFunc(slices.Clone(fresh), func(t v1beta1.SizingTrial) bool { return slices.Contains(names, t.Name) }))
	}
	t.service = func(v v1beta1.Variant) (model.Service, bool) { return prediction.ServiceOf(spec, trials, v) }
	return t, nil
}

// isDecidedVerification reports whether a trial is a verification whose pod counts.
func isDecidedVerification(t v1beta1.SizingTrial) bool {
	counts := ptr.Deref(t.Status.Verification, v1beta1.VerificationCounts{})
	return t.Spec.Role == v1beta1.RoleVerification && t.Status.Result != nil && t.Status.Result.Verdict == v1beta1.VerdictValid &&
		(counts.Outcome == v1beta1.VerificationMet || counts.Outcome == v1beta1.VerificationFailed)
}

// speedsWith returns the speeds of the node pools, from trials that measure. The pods of verifications count in the sizing
// speed if they are slower, beyond the errors of both. They make it no faster, since each verification would change the size
// that it verified.
func speedsWith(trials, verifications []v1beta1.SizingTrial) []v1beta1.PoolSpeed {
	speeds, fresh, all := speed.Pools(trials), speed.Pools(verifications), speed.Pools(slices.Concat(trials, verifications))
	for i := range speeds {
		measured, verified := &speeds[i], speed.InPool(fresh, speeds[i].NodePool)
		if verified == nil || speed.Typical(verified) <= speed.Typical(measured)*(1+math.Hypot(float64(verified.ErrorPerMille), float64(measured.ErrorPerMille))/1000) {
			continue
		}
		if with := speed.InPool(all, measured.NodePool); with.SizingPerMille > measured.SizingPerMille {
			measured.SizingPerMille, measured.PodScatterPerMille = with.SizingPerMille, with.PodScatterPerMille
		}
	}
	return speeds
}

func (t *table) rows(status *v1beta1.SizingExperimentStatus) {
	status.Speed = t.speeds
	status.Results = results.Results(t.measured, t.trials, t.spec.Baseline)
	for i := range status.Results {
		row := &status.Results[i]
		row.Sizing, row.Price = t.sizeAndPrice(t.rowCandidate(row), row.CapacityMilliPerSecond)
	}
	results.PriceDifferences(status.Results, func(row *v1beta1.VariantResult) *big.Rat {
		return t.perMillion(t.rowCandidate(row), row.CapacityMilliPerSecond)
	})
	status.HashTimes = results.HashTimes(t.trials)
	status.CostFits = results.CostFits(t.trials)
}

// evenlySpaced reports whether the measured capacity does not apply to random arrivals.
func (t *table) evenlySpaced() bool {
	return t.spec.Load.Arrivals() == v1beta1.ArrivalsUniform && !t.calibrated
}

// replicas returns the number of replicas in each trial. A row has their total capacity.
func (t *table) replicas() int64 { return int64(max(1, t.spec.Service.Replicas)) }

// sizeAndPrice returns the sizing of a candidate and its prices, with a capacity of all replicas of a
// trial. A row with evenly spaced logins is sized only with the capacity for random arrivals.
func (t *table) sizeAndPrice(c Candidate, capacity *int64) (*v1beta1.Sizing, *v1beta1.Price) {
	var sizing *v1beta1.Sizing
	price := v1beta1.Price{
		PerMillionLogins:          pricing.Text(t.perMillion(c, capacity)),
		AttackerPerBillionGuesses: pricing.Text(t.tariff.PerBillionGuesses(c.Variant)),
	}
	if t.asked && t.question.Admits(c.Variant) && c.Trust != Invalid && c.EvenlySpaced == t.evenlySpaced() {
		sizing, price.PerMonth = t.question.Sizing(c), pricing.Text(t.question.size(c).month)
	}
	if price == (v1beta1.Price{}) {
		return sizing, nil
	}
	return sizing, &price
}

func (t *table) perMillion(c Candidate, capacity *int64) *big.Rat {
	if capacity == nil || c.Trust == Invalid || c.MilliCPU == 0 {
		return nil
	}
	return t.tariff.PerMillionLogins(speed.NodePool(c.Variant), c.Resources(t.replicas()), *capacity)
}
