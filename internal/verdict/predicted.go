package verdict

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// predictedCapacity is the capacity that the model predicts, times 1000, and its range if p95 is as
// far off as it was in the run's own steps.
type predictedCapacity struct {
	low, answer, high float64
	// elasticity is by how many percent the capacity falls if a hash takes 1 % longer.
	elasticity float64
}

// predict returns the highest rate that meets the objective at the reference speed, but not more than the
// saturated service served. The true p95 is assumed to be the simulated one times a factor, which the run's own steps
// estimate (see factor). The answer is the capacity with the most likely factor, and low and high are those with the ends
// of its 95 % interval. The range includes that the model simulates a limited number of logins.
func (d *decision) predict() predictedCapacity {
	sims := map[float64]simulator{} // a model remembers what it simulated
	at := func(factor float64) float64 {
		limit := model.LimitOf(d.spec.Objective).Stricter(factor)
		return min(d.ceiling(), d.load.capacity(float64(d.bound), func(longer float64) float64 {
			if sims[longer] == nil {
				sims[longer] = d.newModel(logins{cpu: d.ownCPU(), wait: d.wait(), inTurn: d.inTurn()}.faster(1/longer), nil)
			}
			return 1000 * sims[longer].Capacity(limit)
		}))
	}
	factor, unsure := d.factor(usualUtilisation)
	for range refinements {
		if d.spec.Service.Own == nil {
			break
		}
		factor, unsure = d.factor(at(factor) / float64(d.bound))
	}
	predicted := predictedCapacity{low: at(factor * unsure), answer: at(factor), high: at(factor / unsure), elasticity: 1}
	// A service whose hashes take 1 % longer serves 1 % less, and has in effect an objective
	// that is 1 % stricter. The cost of the latter follows from the lower end.
	if predicted.low > 0 && predicted.low < predicted.answer {
		predicted.elasticity += math.Log(predicted.answer/predicted.low) / math.Log(unsure)
	}
	predicted = predicted.widened(math.Hypot(sampledRate, podRate) + sampledLatency*(predicted.elasticity-1))
	predicted.high = min(predicted.high, max(predicted.answer, d.ceiling()))
	return predicted
}

// unsureBy widens a prediction by the error of the hash time, as a share of it. It is applied after the
// comparison with the steps, because steps and model use the same hash time and share its error.
func (p predictedCapacity) unsureBy(timeError float64) predictedCapacity {
	return p.widened(math.Exp(p.elasticity*timeError) - 1)
}

// widened adds an error, as a share of the answer, that is independent of those in the range.
func (p predictedCapacity) widened(by float64) predictedCapacity {
	p.low = max(0, p.answer-math.Hypot(p.answer-p.low, by*p.answer))
	p.high = p.answer + math.Hypot(p.high-p.answer, by*p.answer)
	return p
}

// factor returns measured ÷ simulated p95 as far as it is known, and the factor by which that may be off in either
// direction with 95 % confidence. It is the posterior of a normal distribution of its logarithm: the model's error is
// the prior, and each comparable step an observation. If their errors don't explain what was observed, the prior or the
// posterior is wider. A user's own service may do more than hash: nothing is known of its factor before, and steps near the given
// utilisation count most.
func (d *decision) factor(utilisation float64) (likely, unsure float64) {
	logs, weights := d.observations(utilisation)
	observed, total := 0.0, floats.Sum(weights)
	if total > 0 {
		observed = stat.Mean(logs, weights)
	}
	prior := modelDeviation(d.spec.Variant)
	variance, wider := prior*prior, 1.0
	switch {
	case d.spec.Service.Own != nil:
		variance = ownPrior * ownPrior
	case observed < 0:
		// What disturbs a step unnoticed makes p95 longer. A shorter one is due to the model, which is off by more than usual
		// if the errors don't explain it.
		variance = max(variance, observed*observed-1/total)
	case observed > 0:
		// A longer one may be due to a disturbance or to the model, so neither the step nor the prior counts more.
		wider = max(1, observed*observed/(variance+1/total))
	}
	mean := observed * total / (total + 1/variance)
	if d.spec.Service.Own != nil && len(logs) > 1 {
		// Steps that differ by more than their errors show what no error includes, such as pauses.
		apart := 0.0
		for i := range logs {
			apart += weights[i] * (logs[i] - mean) * (logs[i] - mean) / float64(len(logs)-1)
		}
		wider = max(1, apart)
	}
	return math.Exp(mean), math.Exp(normal95 * math.Sqrt(wider/(total+1/variance)))
}

// observations returns the logarithms of measured ÷ simulated p95 of the comparable steps, and their weights: 1 ÷ the
// square of the error.
func (d *decision) observations(utilisation float64) (logs, weights []float64) {
	for _, s := range d.steps {
		if !d.comparable(s) {
			continue
		}
		error := math.Hypot(d.stepError(s), s.phaseError())
		if d.spec.Service.Own != nil {
			error = math.Hypot(math.Hypot(ownStepError, s.phaseError()), ownChange*(d.utilisation(s)-utilisation))
		}
		logs, weights = append(logs, math.Log(s.ratio())), append(weights, 1/(error*error))
	}
	return logs, weights
}

// normal95 is half of the width of the 95 % interval of a normal distribution, in standard deviations.
const normal95 = 1.96

// stepError returns the error of the logarithm of measured ÷ simulated p95 of the same arrivals, one standard deviation. A
// shorter step of a decision has fewer logins near its p95.
func (d *decision) stepError(s fact) float64 {
	counted := loadplan.NeededRelaxations(d.spec)
	if longer := d.relaxations(s, s.CountedMilliseconds); longer > counted {
		counted = min(longer, loadplan.SteadyRelaxations)
	}
	return math.Sqrt(loadplan.SteadyRelaxations/counted) * steadyStepError(d.spec.Variant)
}

// steadyStepError is stepError for a step that lasts as long as a steady state needs.
func steadyStepError(variant v1beta1.Variant) float64 {
	if unbounded(variant) {
		return unboundedStepError
	}
	return poolStepError
}

// modelDeviation returns ModelError as one standard deviation of the logarithm of measured ÷ simulated p95.
func modelDeviation(variant v1beta1.Variant) float64 {
	return math.Log1p(ModelError(variant)) / normal95
}

// phaseError returns how much of that follows from the unknown phase of the quota's periods: each is equally likely.
func (f fact) phaseError() float64 {
	if f.Model.P95LowMicroseconds <= 0 {
		return 0
	}
	return math.Log(float64(f.Model.P95HighMicroseconds)/float64(f.Model.P95LowMicroseconds)) / math.Sqrt(12)
}

// ModelError returns the error of the model's p95 for a variant without disturbances, as a
// share of p95. No prediction is assumed to be more exact.
func ModelError(variant v1beta1.Variant) float64 {
	if unbounded(variant) {
		return unboundedValidated
	}
	return poolValidated
}

// Modelled reports whether hashing dominates the latency of logins with this CPU time, so
// that the model can predict it.
func Modelled(cpuPerLogin time.Duration) bool { return cpuPerLogin >= shortestModelled }

// beyond describes how far the whole prediction is outside the measured bracket; "" if it is not.
func (p predictedCapacity) beyond(measured bracket) string {
	switch {
	case p.high < measured.low():
		return fmt.Sprintf("the model predicts that the objective fails above %s (at most %s), which is %s below a rate that met it; the capacity is taken from the measured steps",
			units.PerSecond(p.answer), units.PerSecond(p.high), percent(1-p.high/measured.low()))
	case p.low >= measured.high():
		return fmt.Sprintf("the model predicts that the objective is met up to %s (at least %s), which is %s above a rate that failed it; the capacity is taken from the measured steps",
			units.PerSecond(p.answer), units.PerSecond(p.low), percent(p.low/measured.high()-1))
	default:
		return ""
	}
}

// within limits a prediction to the rates from the one that met the objective to just below the one that
// failed it, which cannot be the capacity.
func (p predictedCapacity) within(measured bracket) predictedCapacity {
	low, high := measured.low(), measured.high()
	p.answer = min(max(p.answer, low), max(low, high-1))
	p.low = min(max(p.low, low), p.answer)
	p.high = max(min(p.high, high), p.answer)
	return p
}
