package verdict

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/prediction"
)

// forecast is what the model makes of the capacity, times 1000, and where it
// may lie if p95 is as far off as it was in the run's own steps.
type forecast struct {
	low, answer, high float64
	// elasticity is by how many percent the answer falls if a hash takes 1 % longer.
	elasticity float64
}

// predict asks the model for the highest rate that meets the objective at the
// reference speed, and where it would lie if the true p95 were the smallest or the
// largest multiple of the simulated one that the run's own steps show. No forecast
// passes what was served when saturated, whatever the model makes of the CPU time.
func (t *trial) predict() forecast {
	model := t.of(t.ownCPU(), nil)
	uniform := evenly(t.Spec)
	at := func(divisor float64) float64 {
		limit := prediction.LimitOf(t.Spec.Objective).Stricter(divisor)
		perSecond := model.Capacity(limit, uniform, uint64(t.Spec.Seed))
		return min(1000*perSecond, t.ceiling())
	}
	smallest, largest := t.band()
	found := forecast{low: at(largest), answer: at(1), high: at(smallest), elasticity: 1}
	// A service whose hashes take 1 % longer serves 1 % less, and meets an objective that
	// is 1 % stricter. What that costs follows from the lower end.
	if found.low > 0 && found.low < found.answer && largest > 1 {
		found.elasticity += math.Log(found.answer/found.low) / math.Log(largest)
	}
	return found
}

// unsureBy widens a forecast by what the time of a hash at the reference is unsure
// of, as a share of it. It comes after the steps had their say: steps and model are
// at the same reference, and share its error.
func (f forecast) unsureBy(timeError float64) forecast {
	if f.answer <= 0 || timeError <= 0 {
		return f
	}
	byTime := f.answer * (math.Exp(f.elasticity*timeError) - 1)
	f.low = max(0, f.answer-math.Hypot(f.answer-f.low, byTime))
	f.high = f.answer + math.Hypot(f.high-f.answer, byTime)
	return f
}

// band is how p95 measured ÷ simulated ranges over the steps in which the two
// ought to agree, and at least as wide as the model was found to be off.
func (t *trial) band() (smallest, largest float64) {
	validated := ModelError(t.Spec.Variant)
	ratios := []float64{1 - validated, 1 + validated}
	for _, s := range t.steps {
		if t.comparable(s) {
			ratios = append(ratios, s.unexplained())
		}
	}
	return slices.Min(ratios), slices.Max(ratios)
}

// ModelError is how far the model's p95 of a variant was found to be off where
// nothing disturbs, as a share of it: no forecast is taken to be more exact.
func ModelError(variant v1alpha1.Variant) float64 {
	if loadplan.Workers(variant) == 0 {
		return unboundedValidated
	}
	return poolValidated
}

// Modelled tells whether hashing rules the latency of logins that take so much
// CPU time each, so that the model may speak of them.
func Modelled(cpuPerLogin time.Duration) bool { return cpuPerLogin >= shortestModelled }

// beyond says by how much the whole forecast lies outside what was measured, or
// nothing where it does not.
func (f forecast) beyond(measured bracket) string {
	switch {
	case f.high < measured.low():
		return fmt.Sprintf("the model expects the objective to fail from %s on (at most %s), %s below a rate that met it; measurement decides",
			perSecond(f.answer), perSecond(f.high), percent(1-f.high/measured.low()))
	case f.low >= measured.high():
		return fmt.Sprintf("the model expects the objective to be met up to %s (at least %s), %s above a rate that failed it; measurement decides",
			perSecond(f.answer), perSecond(f.low), percent(f.low/measured.high()-1))
	default:
		return ""
	}
}

// within is what is left of a forecast between the rate that met the objective
// and the one that failed it. Where the answer itself lies below the first, that
// rate is the answer; where it lies at the second or above, the middle of what is
// left is: a rate that failed can't be the answer.
func (f forecast) within(measured bracket) forecast {
	low, high := measured.low(), measured.high()
	clipped := forecast{low: min(max(f.low, low), high), high: min(max(f.high, low), high), elasticity: f.elasticity}
	clipped.answer = max(f.answer, low)
	if f.answer >= high {
		clipped.answer = (clipped.low + clipped.high) / 2
	}
	return clipped
}
