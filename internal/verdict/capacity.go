package verdict

import (
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// capacity is how a trial's capacity was decided.
type capacity struct {
	// api is nil where the mode has no capacity.
	api *v1alpha1.Capacity
	// contradiction says in a sentence how the model is beyond what was measured;
	// empty when it is not.
	contradiction string
	// denied tells that the model, which was allowed to decide, finds no rate.
	denied bool
}

// decideCapacity lets the model answer within what was measured. The steps of a
// plan are few and far apart, and p95 of each is a rough number; but the rate at
// which p95 reaches the objective is well conditioned: where p95 is off by 10 %,
// the rate is by 2 to 4 %. So the model, fed with the run's own CPU time per
// login and held against the run's own steps, places the answer between the
// steps that met the objective and those that did not, and where it says
// anything else than these, it is not believed.
func (t *trial) decideCapacity() capacity {
	if t.Spec.Load.Mode == v1alpha1.LoadUsers {
		return capacity{}
	}
	measured := t.bracket()
	decided := capacity{api: &v1alpha1.Capacity{
		Method: v1alpha1.CapacityMeasured, HighestMetMilliPerSecond: measured.met, LowestFailedMilliPerSecond: measured.failed,
	}}
	if objection := t.objection(); objection != "" {
		t.byMeasurement(decided.api, measured, objection)
		return decided
	}
	model := t.predict()
	decided.api.PredictedMilliPerSecond = rate(model.answer)
	if beyond := model.beyond(measured); beyond != "" {
		if !t.foreseen(measured, model) {
			decided.contradiction = beyond
		}
		t.byMeasurement(decided.api, measured, beyond)
		return decided
	}
	decided.denied = model.answer < 1
	t.byModel(decided.api, measured, model)
	return decided
}

// objection says why the model has no say in the capacity, or nothing.
func (t *trial) objection() string {
	switch {
	case t.Spec.Load.Mode == v1alpha1.LoadRates:
		return "with mode Rates the rates that were asked for decide alone"
	case !t.modelled():
		return "the model does not know a service that hashes for some of its requests only"
	case quotaInWords(t.Calibration) != "":
		return "the model has no say: " + quotaInWords(t.Calibration)
	case !t.saturates():
		return "the generator can't drive the service to its limit, so that the true capacity may lie higher"
	case t.neverSent():
		return "the model has no say: it takes every login to be sent, and some were not"
	case t.ownCPU() < shortestModelled:
		return fmt.Sprintf("the model has no say: the service's CPU time per login is not known, or below the %s from which on it rules latency", shortestModelled)
	}
	if len(belowCPUBound(t)) > 0 {
		return "the model has no say: it takes the service's CPU for its own, and something else used it"
	}
	if worst := t.worstRatio(); worst != nil {
		if ratio := worst.unexplained(); max(ratio, 1/ratio) > t.disagreement(worst) {
			return fmt.Sprintf("the model has no say: in %s p95 was %.3g times the simulated one", worst.name(), ratio)
		}
	}
	return ""
}

// saturates tells whether the plan drives the service to its limit.
func (t *trial) saturates() bool {
	return slices.ContainsFunc(t.Plan.Steps, func(s loadplan.Step) bool { return s.Kind == loadplan.Saturation })
}

// neverSent tells whether the generator fell short in a step that the service
// kept up with.
func (t *trial) neverSent() bool {
	return slices.ContainsFunc(t.steps, func(s *step) bool { return s.settled() && s.result.NeverSent > 0 })
}

// ownCPU is the run's own CPU time per login at the reference speed: of the
// saturation, which has the most of them in the shortest time, else of the reported
// step; 0 where neither is known.
func (t *trial) ownCPU() time.Duration {
	for _, s := range t.steps {
		if cpu := cpuPerLogin(s.result); s.Kind == loadplan.Saturation && cpu > 0 {
			return time.Duration(float64(cpu) / s.factor())
		}
	}
	if t.reported == nil {
		return 0
	}
	return time.Duration(float64(cpuPerLogin(t.reported.result)) / t.reported.factor())
}

// byMeasurement takes the highest rate that met the objective.
func (t *trial) byMeasurement(c *v1alpha1.Capacity, measured bracket, because string) {
	c.MilliPerSecond = measured.met
	if high := min(measured.high(), t.ceiling()); measured.met != nil && !math.IsInf(high, 1) {
		c.Interval = interval(measured.low(), max(high, measured.low()))
	}
	c.Message = clip(fmt.Sprintf("%s; %s", capital(measured.String()), because))
}

// ceiling is what no capacity can pass, times 1000: beyond this share of the
// maximum a queue has no steady state.
func (t *trial) ceiling() float64 {
	if t.maximum == nil {
		return math.Inf(1)
	}
	return overloadedShare * float64(*t.maximum)
}

// byModel takes the model's answer, within what was measured.
func (t *trial) byModel(c *v1alpha1.Capacity, measured bracket, model forecast) {
	model = model.within(measured).unsureBy(t.timeError())
	c.MilliPerSecond = rate(model.answer)
	c.Method = v1alpha1.CapacityPredicted
	if c.MilliPerSecond == nil {
		c.Message = clip(fmt.Sprintf("The model finds no rate that meets the objective, and %s", measured))
		return
	}
	c.Interval = interval(model.low, model.high)
	how := "no step near it was decided, so that this is predicted"
	if measured.supports(model.answer) || t.agreesNear(model.answer) {
		c.Method = v1alpha1.CapacityBoth
		how = "the model and the measurement agree"
	}
	c.Message = clip(fmt.Sprintf("The model, fed with the run's own CPU time per login, finds the objective met up to %s (%s to %s), and %s: %s",
		perSecond(model.answer), perSecond(model.low), perSecond(model.high), measured, how))
}

// foreseen tells whether the model expected just that of the step which its
// forecast contradicts, from the logins that came in it: then chance made them
// easier, or harder, than those of a long run, and nothing else was at work.
func (t *trial) foreseen(measured bracket, model forecast) bool {
	contradicts := measured.failed
	if model.high < measured.low() {
		contradicts = measured.met
	}
	return slices.ContainsFunc(t.steps, func(s *step) bool {
		return s.Kind == loadplan.Open && s.nominal == *contradicts && t.comparable(s) && !s.tooManyFailed()
	})
}

// agreesNear tells whether some step within a tenth of a rate came to what the
// model makes of its logins. One that disagreed would have left it without a say.
func (t *trial) agreesNear(rate float64) bool {
	return slices.ContainsFunc(t.steps, func(s *step) bool {
		offered := float64(s.nominal)
		return t.comparable(s) && offered >= nearEnough*rate && offered <= rate/nearEnough
	})
}

// supports tells whether steps speak for a rate: one at it or a little below it
// met the objective, or the rate lies between one that did and one that did not.
func (b bracket) supports(rate float64) bool {
	return b.met != nil && (b.failed != nil || b.low() >= nearEnough*rate)
}

func interval(low, high float64) *v1alpha1.RateInterval {
	return &v1alpha1.RateInterval{LowMilliPerSecond: int64(low), HighMilliPerSecond: int64(math.Round(high))}
}

// rate is a rate in the API, absent where there is none. It is rounded down: a
// rate that failed must not come of one just below it.
func rate(milli float64) *int64 {
	if milli < 1 {
		return nil
	}
	return ptr.To(int64(milli))
}
