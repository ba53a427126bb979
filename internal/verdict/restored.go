package verdict

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/simulation"
)

// CPUPerLogin is the service's CPU time per login in a trial's own run: of the
// saturation, which has the most of them in the shortest time, else of the
// reported step; 0 where neither is known.
func CPUPerLogin(stored *v1alpha1.SizingTrial) time.Duration { return restore(stored).ownCPU() }

// restore is a trial as it was judged, from what its status keeps: the plan
// follows from the calibration and the prediction, and each of its steps is put
// beside the one that is stored.
func restore(stored *v1alpha1.SizingTrial) *trial {
	status := stored.Status
	t := &trial{Input: Input{Spec: stored.Spec, Calibration: ptr.Deref(status.Calibration, v1alpha1.TrialCalibration{})}}
	t.of = outlooks(t.Input)
	t.bound = loadplan.BoundMilliPerSecond(t.Spec.Service.Replicas, t.Spec.Variant, t.Calibration)
	if status.Result != nil {
		t.maximum = status.Result.MaxThroughputMilliPerSecond
	}
	// A trial without a calibration has no plan: its steps then stand for themselves.
	t.Plan, _ = loadplan.Build(t.Spec, t.Calibration, status.Prediction)
	for _, api := range status.Steps {
		if api.Outcome == v1alpha1.StepNotRun {
			continue
		}
		s := t.restoreStep(api)
		t.steps = append(t.steps, s)
		if s.Reported {
			t.reported = s
		}
	}
	return t
}

// outlooks is the model of a trial's service in its quick form: it answers for
// all trials of an experiment while somebody waits.
func outlooks(in Input) modelOf {
	return func(cpu time.Duration) model {
		service := simulated(in)(cpu).(simulation.Service)
		return quick{Service: service, outlook: service.Outlook(evenly(in.Spec), uint64(in.Spec.Seed))}
	}
}

// quick is a service whose capacities are found by short runs.
type quick struct {
	simulation.Service
	outlook *simulation.Outlook
}

// Capacity takes the arrivals and the seed that the outlook was made with.
func (q quick) Capacity(limit simulation.Limit, _ bool, _ uint64) float64 {
	return q.outlook.Capacity(limit)
}

func evenly(spec v1alpha1.SizingTrialSpec) bool {
	return spec.Load.Arrivals == v1alpha1.ArrivalsUniform
}

// restoreStep is a step as it was judged. What its interval was made of is not
// kept, but the interval is.
func (t *trial) restoreStep(api v1alpha1.Step) *step {
	planned, found := t.planned(api)
	s := &step{
		Step: planned, result: resultOf(api), objective: t.Spec.Objective,
		overloaded: api.Outcome == v1alpha1.StepOverloaded,
	}
	s.cpu = cpuPerLogin(s.result)
	if !found || !s.settled() || !t.modelled() || s.Requests+s.SettleRequests > mostSimulated {
		s.recall(api.Model)
		return s
	}
	if api.P95Interval == nil {
		s.spread = s.simulatedSpread(simulated(t.Input)(s.cpu))
	}
	if api.Model != nil {
		s.cpu = microseconds(api.Model.CPUPerLoginMicroseconds)
		s.simulated = s.overPhases(simulated(t.Input)(s.cpu), prediction.ArrivalsOf(s.Step))
		s.simulated.p95 = microseconds(api.Model.P95Microseconds)
	}
	return s
}

// recall is what the model made of a step that can't be simulated again.
func (s *step) recall(told *v1alpha1.StepModel) {
	if told == nil {
		return
	}
	p95 := microseconds(told.P95Microseconds)
	s.cpu = microseconds(told.CPUPerLoginMicroseconds)
	s.simulated = &expectation{p95: p95, fastest: p95, slowest: p95}
}

// planned is the planned step that a stored one came of, or, of a plan that is
// not known any more, what the stored one tells of it.
func (t *trial) planned(api v1alpha1.Step) (loadplan.Step, bool) {
	offered := ptr.Deref(api.OfferedMilliPerSecond, 0)
	for _, s := range t.Plan.Told() {
		if v1alpha1.StepKind(s.Kind) == api.Kind && s.OfferedMilliPerSecond == offered && (offered > 0 || s.Callers == int(ptr.Deref(api.Users, 0))) {
			return s, true
		}
	}
	return loadplan.Step{
		Kind: loadplan.Kind(api.Kind), OfferedMilliPerSecond: offered, Callers: int(ptr.Deref(api.Users, 0)),
		LoadPercent: ptr.Deref(api.LoadPercent, 0), CountedMilliseconds: api.CountedMilliseconds,
	}, false
}

// resultOf is a stored step as the generator handed it over, as far as it is kept.
func resultOf(api v1alpha1.Step) measurement.StepResult {
	result := measurement.StepResult{
		CountedMicroseconds: 1000 * api.CountedMilliseconds,
		Scheduled:           api.Scheduled, OK: api.OK, Refused: api.Refused, TimedOut: api.TimedOut,
		OtherErrors: api.OtherErrors, Cut: api.Cut, NeverSent: api.NeverSent,
		ThroughputMilliPerSecond: api.ThroughputMilliPerSecond,
		P95Microseconds:          api.P95Microseconds, MaxMicroseconds: api.MaxMicroseconds,
	}
	if api.P95Interval != nil {
		result.P95Interval = &measurement.Interval{LowMicroseconds: api.P95Interval.LowMicroseconds, HighMicroseconds: api.P95Interval.HighMicroseconds}
	}
	if api.Service != nil && api.ServiceHashes != nil {
		result.Service = &evidence.Delta{CPUMicroseconds: api.Service.CPUMicroseconds, Hashes: *api.ServiceHashes}
	}
	return result
}
