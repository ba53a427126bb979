package verdict

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// capacity is a trial's capacity and how it was decided.
type capacity struct {
	// api is nil if the mode has no capacity.
	api *v1beta1.Capacity
	// contradiction is a sentence that says how the model contradicts the measured
	// steps; empty if it does not.
	contradiction string
	// noRate means that the model was used and finds no rate that meets the objective.
	noRate bool
}

// decideCapacity decides the capacity by the model, with the run's own CPU time per login, between the steps
// that met the objective and those that failed it. The steps are few, and p95 of each is rough. But if p95
// is off by 10 %, the rate at which it reaches the objective is off by 2 to 4 %. A model that contradicts
// the steps is not used. That is decided under the objective of the run only, so that a looser objective
// never has a lower capacity.
func (d *decision) decideCapacity() capacity {
	if d.has(v1beta1.PurposeUsers) {
		return capacity{}
	}
	measured := d.bracket()
	decided := capacity{api: &v1beta1.Capacity{
		Method: v1beta1.CapacityMeasured, HighestMetMilliPerSecond: measured.met, LowestFailedMilliPerSecond: measured.failed,
	}}
	objection := d.objection()
	if objection == "" && contradicted(d.earlier) {
		objection = "the model is not used: under the measured objective, the steps contradict it"
	}
	if objection != "" {
		d.byMeasurement(decided.api, measured, objection)
		return decided
	}
	predicted := d.predict()
	decided.api.PredictedMilliPerSecond = rate(predicted.answer)
	if beyond := predicted.beyond(measured); beyond != "" && d.earlier == nil {
		if !d.explainedByArrivals(measured, predicted) {
			decided.contradiction = beyond
		}
		d.byMeasurement(decided.api, measured, beyond)
		return decided
	}
	decided.noRate = predicted.answer < 1
	d.byModel(decided.api, measured, predicted)
	return decided
}

// contradicted reports whether the steps contradicted the model: it predicted a capacity that
// was not used.
func contradicted(c *v1beta1.Capacity) bool {
	return c != nil && c.Method == v1beta1.CapacityMeasured && c.PredictedMilliPerSecond != nil
}

// objection returns the reason why the model is not used for the capacity, or "".
func (d *decision) objection() string {
	switch {
	case d.onlyRates():
		return "with load.rates, the capacity is taken from the measured rates only"
	case !modelled(d.spec.Variant, d.bound):
		return "the model is not used: it does not support a service that hashes for only some of its requests"
	case quotaInWords(d.calibration) != "":
		return "the model is not used: " + quotaInWords(d.calibration)
	case !d.has(v1beta1.PurposeMaximum):
		return "the generator cannot drive the service to its limit, so the true capacity may be higher"
	case d.neverSent():
		return "the model is not used: it assumes that every login is sent, and some were not"
	case d.ownCPU() < shortestModelled:
		return fmt.Sprintf("the model is not used: the service's CPU time per login is unknown, or below %s, where hashing does not dominate latency", shortestModelled)
	}
	if d.disturbed {
		return "the model is not used: it assumes that the service has its CPUs for itself, and something else used them"
	}
	// How a user's own service differs from the model is measured, and corrected by factor.
	if worst, found := d.worstRatio(); found && d.spec.Service.Own == nil {
		if ratio := worst.unexplained(); max(ratio, 1/ratio) > d.disagreement(worst) {
			return fmt.Sprintf("the model is not used: in %s, p95 was %s times the simulated p95", worst.name(), units.Ratio(ratio))
		}
	}
	return ""
}

// onlyRates reports whether the service was driven at given rates and not saturated.
func (d *decision) onlyRates() bool {
	return d.has(v1beta1.PurposeRate) || d.has(v1beta1.PurposeVerification) && !d.has(v1beta1.PurposeMaximum)
}

func (d *decision) has(purpose v1beta1.StepPurpose) bool {
	return slices.ContainsFunc(d.steps, func(s fact) bool { return s.Purpose == purpose })
}

// neverSent reports whether logins were not sent in a step that the service kept up with.
func (d *decision) neverSent() bool {
	return slices.ContainsFunc(d.steps, func(s fact) bool { return s.settled() && s.NeverSent > 0 })
}

func (d *decision) byMeasurement(c *v1beta1.Capacity, measured bracket, because string) {
	c.MilliPerSecond = measured.met
	if high := min(measured.high(), d.ceiling()); measured.met != nil && !math.IsInf(high, 1) {
		c.Interval = interval(measured.low(), max(high, measured.low()))
	}
	c.Message = units.Clip(fmt.Sprintf("%s; %s", units.Capital(measured.String()), because), v1beta1.MaxMessage)
}

// ceiling returns the highest possible capacity, times 1000. Above this share of the
// maximum a queue has no steady state.
func (d *decision) ceiling() float64 {
	if d.maximum == nil {
		return math.Inf(1)
	}
	return overloadedShare * float64(*d.maximum)
}

func (d *decision) byModel(c *v1beta1.Capacity, measured bracket, predicted predictedCapacity) {
	predicted = predicted.within(measured).unsureBy(d.timeError)
	c.MilliPerSecond = rate(predicted.answer)
	c.Method = v1beta1.CapacityPredicted
	if c.MilliPerSecond == nil {
		c.Message = units.Clip(fmt.Sprintf("The model finds no rate that meets the objective, and %s", measured), v1beta1.MaxMessage)
		return
	}
	c.Interval = interval(predicted.low, predicted.high)
	how := "no step with a queue can be compared with the model, so the capacity is predicted"
	if measured.supports(predicted.answer) || d.agrees() {
		c.Method = v1beta1.CapacityBoth
		how = "the model and the measurement agree"
		if d.spec.Service.Own != nil {
			how = "the measured steps correct the model by what the service does beside hashing"
		}
	}
	c.Message = units.Clip(fmt.Sprintf("The model, with the CPU time per login of this run, predicts that the objective is met up to %s (%s to %s), and %s: %s",
		units.PerSecond(predicted.answer), units.PerSecond(predicted.low), units.PerSecond(predicted.high), measured, how), v1beta1.MaxMessage)
}

// explainedByArrivals reports whether the model agrees with the step that its prediction contradicts when it
// simulates the logins of that step: then only its random arrivals differ from those of a long run.
func (d *decision) explainedByArrivals(measured bracket, predicted predictedCapacity) bool {
	contradicts := measured.failed
	if predicted.high < measured.low() {
		contradicts = measured.met
	}
	return slices.ContainsFunc(d.steps, func(s fact) bool {
		return s.open() && s.nominal() == *contradicts && d.comparable(s) && !d.tooManyFailed(s)
	})
}

// agrees reports whether a step with a queue can be compared with the model. If such a step disagreed, the model would
// not be used at all.
func (d *decision) agrees() bool {
	return slices.ContainsFunc(d.steps, func(s fact) bool { return d.comparable(s) && d.utilisation(s) >= queueShows })
}

// supports reports whether the steps confirm a rate: a step at it or a little below it met
// the objective, or the rate is between one that met it and one that failed it.
func (b bracket) supports(rate float64) bool {
	return b.met != nil && (b.failed != nil || b.low() >= nearEnough*rate)
}

func interval(low, high float64) *v1beta1.RateInterval {
	return &v1beta1.RateInterval{LowMilliPerSecond: int64(low), HighMilliPerSecond: int64(math.Round(high))}
}

// rate returns a rate for the API, or nil if it is 0. It is rounded down, so that a rate
// just below a failed one is not rounded up to it.
func rate(milli float64) *int64 {
	if milli < 1 {
		return nil
	}
	return ptr.To(int64(milli))
}

// bracket is the highest rate that met the objective and the lowest rate that failed it, at the reference
// speed and times 1000. Nil means that there is none.
type bracket struct{ met, failed *int64 }

// bracket goes through the steps from low to high until one fails. A rate that the experiment names
// counts only if all rates below it met the objective, too.
func (d *decision) bracket() bracket {
	var found bracket
	for _, s := range d.steps {
		if !s.open() {
			continue
		}
		switch d.withoutErrors(s) {
		case v1beta1.StepMet:
			found.met = ptr.To(s.nominal())
			continue
		case v1beta1.StepFailed, v1beta1.StepOverloaded:
			found.failed = ptr.To(d.failedAt(s))
			return found
		}
		if s.Purpose != v1beta1.PurposeCapacity {
			return found // undecided: faster steps prove nothing
		}
	}
	return found
}

// failedAt returns the rate at which a step failed. For a step that failed by its latency,
// that is the nominal rate, to which the latency was converted. Otherwise it is the share
// of the bound that the step really had.
func (d *decision) failedAt(s fact) int64 {
	if s.Purpose == v1beta1.PurposeCapacity && (s.overloaded() || d.tooManyFailed(s)) {
		return int64(math.Ceil(s.rateAtReference()))
	}
	return s.nominal()
}

func (b bracket) low() float64 { return float64(ptr.Deref(b.met, 0)) }

func (b bracket) high() float64 {
	if b.failed == nil {
		return math.Inf(1)
	}
	return float64(*b.failed)
}

func (b bracket) String() string {
	switch {
	case b.met != nil && b.failed != nil:
		return fmt.Sprintf("%s met the objective and %s failed it", units.PerSecond(float64(*b.met)), units.PerSecond(float64(*b.failed)))
	case b.met != nil:
		return fmt.Sprintf("%s met the objective and no measured rate failed it", units.PerSecond(float64(*b.met)))
	case b.failed != nil:
		return fmt.Sprintf("%s failed the objective and no measured rate met it", units.PerSecond(float64(*b.failed)))
	default:
		return "all measured rates are undecided"
	}
}
