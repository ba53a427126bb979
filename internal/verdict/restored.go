package verdict

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// CPUPerLogin returns the service's CPU time per login in a trial's own run, at the trial's
// reference speed. It is that of the saturation, which has the most logins in the shortest
// time, or else of the reported step; 0 if both are unknown.
func CPUPerLogin(stored *v1alpha1.SizingTrial) time.Duration { return restore(stored).ownCPU() }

// restore returns a trial as it was judged, from its status. The plan follows from the
// calibration and the prediction, and each of its steps is paired with the stored one. The
// model's predictions for the steps are not included.
func restore(stored *v1alpha1.SizingTrial) *trial {
	status := stored.Status
	t := &trial{Input: Input{Spec: stored.Spec, Calibration: ptr.Deref(status.Calibration, v1alpha1.TrialCalibration{})}}
	t.newModel = simulated(t.Input)
	if known := status.Speed; known != nil {
		t.PlannedMicros = float64(known.PlannedHashMicrosecondsAtCost8)
		t.Input.Reference = speed.Reference{Micros: float64(known.ReferenceHashMicrosecondsAtCost8), Error: float64(known.ReferenceErrorPerMille) / 1000}
		t.Run.Timeline = timelineOf(known, speed.Ratio(t.Calibration))
	}
	if status.Result != nil {
		t.maximum = status.Result.MaxThroughputMilliPerSecond
	}
	t.Plan = loadplan.Ran(stored)
	t.setReference()
	for _, api := range driven(status.Steps) {
		t.steps = append(t.steps, t.restoredStep(*api))
		if s := t.steps[len(t.steps)-1]; s.Reported {
			t.reported = s
		}
	}
	t.setFailures()
	return t
}

// restoredStep returns a stored step as it was judged.
func (t *trial) restoredStep(api v1alpha1.Step) *step {
	s := &step{
		Step: loadplan.FromAPI(api), result: resultOf(api), objective: t.Spec.Objective,
		overloaded: api.Outcome == v1alpha1.StepOverloaded, slower: 1,
	}
	s.cpu = cpuPerLogin(s.result)
	if t.hashes() {
		s.slower = 0
		if known := api.Speed; known != nil {
			s.hash, s.slower = float64(known.HashMicroseconds), float64(known.PerMille)/1000
		}
		s.course = courseOf(t.Run.Timeline, s)
	}
	t.setNominal(s)
	if at := api.AtReference; at != nil {
		s.nominal = at.OfferedMilliPerSecond
		s.latency[q50].restore(api.P50Microseconds, at.P50Microseconds, at.P50Interval)
		s.latency[q95].restore(api.P95Microseconds, at.P95Microseconds, at.P95Interval)
		s.latency[q99].restore(api.P99Microseconds, at.P99Microseconds, at.P99Interval)
	}
	s.longEnough = t.lastsLongEnough(s)
	return s
}

// timelineOf returns the timeline of a load from the status, or nil if it is not stored.
func timelineOf(known *v1alpha1.TrialSpeed, ratio float64) *measurement.Timeline {
	if known.WindowMilliseconds <= 0 || len(known.WindowsPerMille) == 0 {
		return nil
	}
	timeline := &measurement.Timeline{Window: time.Duration(known.WindowMilliseconds) * time.Millisecond}
	for _, perMille := range known.WindowsPerMille {
		nanos := float64(perMille) * ratio * float64(known.ReferenceHashMicrosecondsAtCost8)
		timeline.HashNanoseconds = append(timeline.HashNanoseconds, int64(nanos))
	}
	return timeline
}

// driven returns the stored steps without those that were left out.
func driven(steps []v1alpha1.Step) []*v1alpha1.Step {
	var kept []*v1alpha1.Step
	for i := range steps {
		if steps[i].Outcome != v1alpha1.StepNotRun {
			kept = append(kept, &steps[i])
		}
	}
	return kept
}

// recall adds the stored predictions of the model to the steps, and simulates the rest
// again. The parts of an interval are not stored, but the interval is.
func (t *trial) recall(stored []v1alpha1.Step) {
	for i, api := range driven(stored) {
		s := t.steps[i]
		if known := api.Model; known != nil {
			p95 := microseconds(known.P95Microseconds)
			s.cpu = microseconds(known.CPUPerLoginMicroseconds)
			s.simulated = &expectation{p95: p95, fastest: p95, slowest: p95}
		}
		if !s.settled() || !t.modelled() || s.Requests == 0 || s.Requests+s.SettleRequests > mostSimulated {
			continue
		}
		sim := t.newModel(s.cpu, s.course)
		if s.simulated != nil {
			again := s.overPhases(sim, model.ArrivalsOf(s.Step))
			s.simulated.fastest, s.simulated.slowest = again.fastest, again.slowest
		}
		if api.P95Interval == nil {
			s.setSpreads(simulatedSpreads(s.atNominal(), t.newModel(s.cpuAtReference(), nil)))
		}
	}
}

// resultOf returns a stored step as the generator's result, without what is not stored.
func resultOf(api v1alpha1.Step) measurement.StepResult {
	result := measurement.StepResult{
		CountedMicroseconds: 1000 * api.CountedMilliseconds,
		Scheduled:           api.Scheduled, OK: api.OK, Refused: api.Refused, TimedOut: api.TimedOut,
		OtherErrors: api.OtherErrors, Cut: api.Cut, NeverSent: api.NeverSent,
		ThroughputMilliPerSecond: api.ThroughputMilliPerSecond,
		P50Microseconds:          api.P50Microseconds, P95Microseconds: api.P95Microseconds, P99Microseconds: api.P99Microseconds,
		MaxMicroseconds: api.MaxMicroseconds,
		P50Interval:     asMeasured(api.P50Interval), P95Interval: asMeasured(api.P95Interval), P99Interval: asMeasured(api.P99Interval),
	}
	if a := api.Alive; a != nil {
		result.Alive = &measurement.Alive{Probes: a.Probes, Failed: a.Failed, FailedInARow: a.FailedInARow, P95Microseconds: a.P95Microseconds}
	}
	if api.Service != nil && api.ServiceHashes != nil {
		result.Service = &evidence.Delta{CPUMicroseconds: api.Service.CPUMicroseconds, Hashes: *api.ServiceHashes}
	}
	return result
}

func asMeasured(i *v1alpha1.Interval) *measurement.Interval {
	if i == nil {
		return nil
	}
	return &measurement.Interval{LowMicroseconds: i.LowMicroseconds, HighMicroseconds: i.HighMicroseconds}
}
