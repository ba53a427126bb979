package verdict

import (
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// decision is what follows from a trial's status under an objective. It reads only what was stored when the
// run was harvested, so that the same objective always has the same answer.
type decision struct {
	spec v1beta1.SizingTrialSpec
	// calibration at the reference speed.
	calibration handover.Calibration
	// bound is the CPU-bound rate and maximum the throughput of the saturated service, both at the
	// reference speed and times 1000. maximum is nil if it was not measured.
	bound   int64
	maximum *int64
	// timeError is the error of the hash time at the reference speed, half of the 95 % interval as a
	// share of it. The reference itself is a unit and has no error.
	timeError float64
	// load is by how much the load made hashes slower.
	load underLoad
	// steps that were run.
	steps []fact
	// disturbed means that something else used the service's CPUs while it was saturated.
	disturbed bool
	// earlier is the capacity under the objective of the run; nil while that is decided.
	earlier  *v1beta1.Capacity
	newModel modelOf
}

// fact is a step of a trial's status.
type fact struct{ *v1beta1.Step }

func decisionOn(spec v1beta1.SizingTrialSpec, status *v1beta1.SizingTrialStatus, newModel modelOf) *decision {
	cal := ptr.Deref(status.Calibration, handover.Calibration{})
	stored := ptr.Deref(status.Speed, v1beta1.TrialSpeed{})
	load := underLoadOf(stored.UnderLoad)
	d := &decision{
		spec: spec, calibration: speed.At(cal, float64(stored.ReferenceHashMicrosecondsAtCost8)),
		load: load, timeError: load.timeError(cal), newModel: newModel,
	}
	if status.Result != nil {
		d.bound, d.maximum = ptr.Deref(status.Result.BoundMilliPerSecond, 0), status.Result.MaxThroughputMilliPerSecond
		d.disturbed = slices.ContainsFunc(status.Result.Reasons, func(r v1beta1.Reason) bool { return r.Type == v1beta1.ReasonBelowCPUBound })
	}
	for i := range status.Steps {
		if status.Steps[i].Ran() {
			d.steps = append(d.steps, fact{&status.Steps[i]})
		}
	}
	return d
}

// ForObjective returns the trial as judged under another objective, without new load: the outcome of each
// step, the capacity, whether the objective is met, and the prediction from the calibration. Verdict and
// reasons do not depend on the objective. A stricter one never has a higher capacity than a looser one.
//
// A trial that was not loaded, because no rate could meet its objective, has a capacity under a looser one
// that follows from the calibration alone. It is then Suspect, because there is no evidence.
func ForObjective(stored v1beta1.SizingTrial, objective v1beta1.Objective) v1beta1.SizingTrial {
	judged := *stored.DeepCopy()
	judged.Spec.Objective = objective
	status := &judged.Status
	if status.Result == nil || equality.Semantic.DeepEqual(stored.Spec.Objective, objective) {
		return judged
	}
	if status.Calibration != nil && status.Prediction != nil {
		status.Prediction.CapacityMilliPerSecond = model.CapacityBefore(judged.Spec, speed.PlannedFor(*status))
	}
	switch {
	case unloaded(&stored) && status.Prediction != nil:
		decideUnloaded(judged.Spec, status)
		return judged
	case unloaded(&stored), slices.ContainsFunc(status.Steps, func(s v1beta1.Step) bool { return s.Plan != nil && s.Purpose == "" }):
		forget(status)
		return judged
	}
	d := decisionOn(judged.Spec, status, simulated(judged.Spec, ptr.Deref(status.Calibration, handover.Calibration{})))
	d.earlier = stored.Status.Capacity
	status.Capacity = d.decide(status.Result).api
	return judged
}

// forget removes what depends on the objective from the status of a trial that an earlier version judged,
// which stored less of its steps.
func forget(status *v1beta1.SizingTrialStatus) {
	const message = "An earlier version of Hashmark measured this, and stored too little to say what it means under another objective. Measure it again"
	status.Capacity = &v1beta1.Capacity{Method: v1beta1.CapacityMeasured, Message: message}
	row := status.Result
	row.ObjectiveMet, row.CapacityMilliPerSecond, row.CapacityInterval, row.CapacityMethod, row.CapacityIsLowerBound = nil, nil, nil, "", nil
	row.Verdict = worst([]v1beta1.Reason{{Verdict: row.Verdict}, {Verdict: v1beta1.VerdictSuspect}})
	row.Reasons = append(row.Reasons, v1beta1.Reason{Type: v1beta1.ReasonEvidenceMissing, Verdict: v1beta1.VerdictSuspect, Message: message})
}

// decide writes what depends on the objective into the steps and the row, and returns the capacity.
func (d *decision) decide(row *v1beta1.VariantResult) capacity {
	decided := d.decideCapacity()
	row.ObjectiveMet = d.objectiveMet(decided)
	row.CapacityMilliPerSecond, row.CapacityInterval, row.CapacityMethod, row.CapacityIsLowerBound = nil, nil, "", nil
	if c := decided.api; c != nil && c.MilliPerSecond != nil {
		row.CapacityMilliPerSecond, row.CapacityInterval, row.CapacityMethod = c.MilliPerSecond, c.Interval, c.Method
		if c.Method == v1beta1.CapacityMeasured {
			row.CapacityIsLowerBound = ptr.To(*c.MilliPerSecond == d.highestOffered())
		}
	}
	for _, s := range d.steps {
		s.Outcome = d.outcome(s)
		if all := d.failures(s); s.Reported && all.logins > 0 {
			row.Failures = all.api()
		}
	}
	return decided
}

// CPUPerLogin returns the service's CPU time per login in a trial's own run, at the trial's
// reference speed. It is that of the saturation, which has the most logins in the shortest
// time, or else of the reported step; 0 if both are unknown.
func CPUPerLogin(stored *v1beta1.SizingTrial) time.Duration {
	return decisionOn(stored.Spec, &stored.Status, nil).ownCPU()
}

// WaitPerLogin returns how long a login waits for something else than the service's CPU; 0 if it does not.
func WaitPerLogin(stored *v1beta1.SizingTrial) time.Duration {
	return decisionOn(stored.Spec, &stored.Status, nil).wait()
}

func (d *decision) wait() time.Duration {
	for _, s := range d.steps {
		if s.Model != nil && s.Model.WaitMicroseconds > 0 {
			return microseconds(s.Model.WaitMicroseconds)
		}
	}
	return 0
}

// inTurn reports whether the replicas take turns.
func (d *decision) inTurn() bool {
	return slices.ContainsFunc(d.steps, func(s fact) bool { return s.Model != nil && s.Model.InTurn })
}

func (d *decision) ownCPU() time.Duration {
	var reported time.Duration
	for _, s := range d.steps {
		if s.Service == nil {
			continue
		}
		cpu := time.Duration(float64(perHash(s.Service.CPUMicroseconds, ptr.Deref(s.ServiceHashes, 0))) / s.factor())
		if s.Kind == v1beta1.StepSaturation && cpu > 0 {
			return cpu
		}
		if s.Reported {
			reported = cpu
		}
	}
	return reported
}

func (f fact) factor() float64 {
	if f.Speed == nil || f.Speed.PerMille <= 0 {
		return 1
	}
	return float64(f.Speed.PerMille) / 1000
}

func (f fact) open() bool { return f.Kind == v1beta1.StepOpen }

func (f fact) overloaded() bool { return f.Outcome == v1beta1.StepOverloaded }

func (f fact) settled() bool { return f.open() && !f.overloaded() }

func (f fact) offered() int64 { return ptr.Deref(f.OfferedMilliPerSecond, 0) }

func (f fact) rateAtReference() float64 { return float64(f.offered()) * f.factor() }

// nominal returns the rate that is the planned share of the bound at the reference speed, times 1000.
func (f fact) nominal() int64 {
	if f.AtReference == nil {
		return f.offered()
	}
	return f.AtReference.OfferedMilliPerSecond
}

func (f fact) interval(percentile int) *handover.Interval {
	if f.AtReference == nil {
		return nil
	}
	return []*handover.Interval{q50: f.AtReference.P50Interval, q95: f.AtReference.P95Interval, q99: f.AtReference.P99Interval}[percentile]
}

// ratio returns measured ÷ simulated p95 for the same arrivals, or 0 if one is missing.
func (f fact) ratio() float64 {
	if f.Model == nil || f.Model.P95Microseconds <= 0 || f.P95Microseconds == nil {
		return 0
	}
	return float64(*f.P95Microseconds) / float64(f.Model.P95Microseconds)
}

// unexplained returns the part of the ratio that the phase of the quota's periods does not
// explain: 1 if some phase gives the measured p95. For a hash that is shorter than the
// quota's runtime, the phase alone changes p95 of a hundred logins by a factor of 0.6 to
// 1.5, simulated at cost 8 on half a CPU.
func (f fact) unexplained() float64 {
	nearest := min(max(*f.P95Microseconds, f.Model.P95LowMicroseconds), f.Model.P95HighMicroseconds)
	return float64(*f.P95Microseconds) / float64(max(1, nearest))
}

// name returns the step's name for messages.
func (f fact) name() string {
	switch {
	case f.PlannedLoadPerMille != nil:
		return fmt.Sprintf("the step at %s of the bound", units.Share(f.PlannedLoadPerMille))
	case f.Kind == v1beta1.StepSaturation:
		return "the saturation"
	case f.Kind == v1beta1.StepClosed:
		return fmt.Sprintf("the step with %d users", ptr.Deref(f.Users, 0))
	default:
		return "the step at " + units.PerSecond(float64(f.offered()))
	}
}

// comparable reports whether measured and simulated p95 of the step should agree.
func (d *decision) comparable(s fact) bool {
	return s.settled() && s.ratio() > 0 && microseconds(s.Model.CPUPerLoginMicroseconds) >= shortestModelled &&
		s.OK >= samplesForInterval && d.utilisation(s) <= modelledUtilisation
}

// utilisation returns the offered rate as a share of the bound at the step's own speed.
func (d *decision) utilisation(s fact) float64 { return s.rateAtReference() / float64(d.bound) }

// disagreement returns the factor by which measured and simulated p95 of a step can differ. The speed is
// known only per second, and at a high load each percent of it changes p95 by 1 ÷ (1 − ρ) percent.
func (d *decision) disagreement(s fact) float64 {
	allowed := disagrees(d.spec.Variant, d.stepError(s))
	if s.Speed == nil || float64(s.Speed.RangePerMille) <= 1000*steadyWithin {
		return allowed
	}
	unsure := courseDoubt * math.Log(float64(s.Speed.RangePerMille)/1000)
	return allowed * math.Exp(unsure/(1-min(d.utilisation(s), modelledUtilisation)))
}

// disagrees returns the factor by which measured and simulated p95 can differ at a constant speed. It is as many standard
// deviations of a shorter step, whose error is larger, as of one that lasts as long as a steady state needs.
func disagrees(variant v1beta1.Variant, stepError float64) float64 {
	steady := poolDisagrees
	if unbounded(variant) {
		steady = unboundedDisagrees
	}
	model := modelDeviation(variant)
	return math.Pow(steady, math.Hypot(model, stepError)/math.Hypot(model, steadyStepError(variant)))
}

// worstRatio returns the comparable step whose measured p95 differs most from the simulated one, relative to
// the allowed difference.
func (d *decision) worstRatio() (worst fact, found bool) {
	apart := func(s fact) float64 { return math.Abs(math.Log(s.unexplained())) / math.Log(d.disagreement(s)) }
	for _, s := range d.steps {
		if d.comparable(s) && (!found || apart(s) > apart(worst)) {
			worst, found = s, true
		}
	}
	return worst, found
}

// longEnough reports whether a step settled and lasted long enough for its queue to reach a steady state, at
// the reference speed. That is known only for a service that hashes for every login; else it is true.
func (d *decision) longEnough(s fact) bool {
	if !modelled(d.spec.Variant, d.bound) || !s.open() || s.nominal() <= 0 || s.Plan == nil {
		return true
	}
	needed, counted := loadplan.NeededRelaxations(d.spec)*relaxationsRounding, d.relaxations(s, s.CountedMilliseconds)
	settled := d.relaxations(s, s.Plan.SettleMilliseconds)
	return counted >= needed && settled+counted >= needed+loadplan.SettlingRelaxations*relaxationsRounding
}

// relaxations returns a time in a step as a multiple of loadplan.Relaxation, at the reference speed.
func (d *decision) relaxations(s fact, milliseconds int64) float64 {
	longer := float64(s.offered()) / float64(s.nominal())
	return longer * float64(milliseconds) / 1000 / d.relaxation(s)
}

// relaxation returns loadplan.Relaxation at the step's load, in seconds at the reference speed.
func (d *decision) relaxation(s fact) float64 {
	interval := float64(max(1, d.spec.Service.Replicas)) * 1000 / float64(d.bound)
	return loadplan.Relaxation(interval, float64(s.nominal())/float64(d.bound))
}

// modelled reports whether the model supports a variant's service, given its bound: with sessions, few
// requests are hashed.
func modelled(variant v1beta1.Variant, bound int64) bool { return !variant.Hash.Sessions && bound > 0 }

func unbounded(variant v1beta1.Variant) bool { return loadplan.Workers(variant) == 0 }
