package verdict

import (
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// ForObjective is the trial as it would have been judged under another
// objective, with no new load: what each of its steps says of it, the capacity,
// whether the objective is met, and what the calibration alone would have said.
// Stored steps and the model decide, as they did in the run. Verdict and reasons
// stay: they tell whether the numbers may be believed, whatever is asked of them.
//
// A stricter objective never has a higher capacity than a looser one, and the
// trial's own has the stored one. For that the model's answer is held to the
// steps in one way only: where it lies at a rate that failed, or beyond, the
// answer is just below that rate. A model that the steps refuted under the trial's
// own objective is not asked under another.
//
// A trial that was not loaded, because no rate could meet its objective, has a
// capacity under a looser one that follows from the calibration alone. It then
// is Suspect for lack of evidence.
func ForObjective(stored v1alpha1.SizingTrial, objective v1alpha1.Objective) v1alpha1.SizingTrial {
	asked := *stored.DeepCopy()
	asked.Spec.Objective = objective
	if asked.Status.Result == nil || stored.Spec.Objective == objective {
		return asked
	}
	if unloaded(&stored) {
		askUnloaded(&asked)
		return asked
	}
	t := restore(&asked)
	t.recall(asked.Status.Steps)
	t.capacity = t.capacityUnder(refuted(&stored))
	t.keepMonotone(&stored)
	t.writeTo(&asked.Status)
	return asked
}

// unloaded tells whether a trial was found to be infeasible without any load.
func unloaded(stored *v1alpha1.SizingTrial) bool {
	return len(stored.Status.Steps) == 0 && stored.Status.Calibration != nil &&
		slices.ContainsFunc(stored.Status.Result.Reasons, func(r v1alpha1.Reason) bool { return r.Type == Infeasible })
}

// askUnloaded judges by the calibration alone.
func askUnloaded(asked *v1alpha1.SizingTrial) {
	status := &asked.Status
	service := outlooks(Input{Spec: asked.Spec, Calibration: speed.PlannedFor(*status)})(0, nil)
	idle := ptr.Deref(status.Prediction, v1alpha1.Prediction{})
	answer := rate(1000 * service.Capacity(prediction.LimitOf(asked.Spec.Objective), false, 0))
	idle.CapacityMilliPerSecond = answer
	status.Prediction = &idle
	judged := Unloaded(asked.Spec, speed.PlannedFor(*status), &idle)
	judged.Result.Trials = status.Result.Trials
	status.Capacity = judged.Capacity
	if answer != nil {
		fromCalibration(&judged, *answer)
	}
	status.Result = &judged.Result
}

// fromCalibration is the judgement on a trial that was not loaded under an
// objective that would have had it loaded.
func fromCalibration(judged *Judgement, answer int64) {
	message := "It was not loaded, since no rate could meet the objective that it was measured under; under this one its capacity follows from the calibration alone. Measure it under this objective"
	judged.Capacity.MilliPerSecond, judged.Capacity.PredictedMilliPerSecond, judged.Capacity.Message = &answer, &answer, message
	row := &judged.Result
	row.ObjectiveMet, row.CapacityMilliPerSecond, row.CapacityMethod = ptr.To(true), &answer, v1alpha1.CapacityPredicted
	row.Verdict = v1alpha1.VerdictSuspect
	row.Reasons = []v1alpha1.Reason{{Type: EvidenceMissing, Verdict: v1alpha1.VerdictSuspect, Message: message}}
}

// refuted tells whether the steps contradicted the model when the trial was
// judged, so that it had an answer and did not decide.
func refuted(stored *v1alpha1.SizingTrial) bool {
	c := stored.Status.Capacity
	return c != nil && c.Method == v1alpha1.CapacityMeasured && c.PredictedMilliPerSecond != nil
}

// capacityUnder decides the capacity as decideCapacity does, but so that it never
// falls as the objective is loosened.
func (t *trial) capacityUnder(refuted bool) capacity {
	if t.Spec.Load.Mode == v1alpha1.LoadUsers {
		return capacity{}
	}
	measured := t.bracket()
	decided := capacity{api: &v1alpha1.Capacity{
		Method: v1alpha1.CapacityMeasured, HighestMetMilliPerSecond: measured.met, LowestFailedMilliPerSecond: measured.failed,
	}}
	objection := t.objection()
	if refuted && objection == "" {
		objection = "the model has no say: under the objective that was measured, the steps contradict it"
	}
	if objection != "" {
		t.byMeasurement(decided.api, measured, objection)
		return decided
	}
	model := t.predict()
	decided.api.PredictedMilliPerSecond = rate(model.answer)
	decided.denied = model.answer < 1
	t.byModel(decided.api, measured, model.below(measured))
	return decided
}

// below is a forecast whose answer is no rate that failed.
func (f forecast) below(measured bracket) forecast {
	if highest := measured.high() - 1; f.answer > highest {
		f.answer, f.low = highest, math.Min(f.low, highest)
	}
	return f
}

// keepMonotone lets the stored capacity stand where the one that was found now
// contradicts it: short runs are off by a little, and a judgement by another
// rule may be.
func (t *trial) keepMonotone(stored *v1alpha1.SizingTrial) {
	c, was := t.capacity.api, stored.Status.Result
	if c == nil {
		return
	}
	now, then := t.Spec.Objective, stored.Spec.Objective
	found, known := ptr.Deref(c.MilliPerSecond, 0), ptr.Deref(was.CapacityMilliPerSecond, 0)
	stricter, looser := noLooser(now, then), noLooser(then, now)
	if stricter && found > known || looser && found < known {
		c.MilliPerSecond, c.Interval = was.CapacityMilliPerSecond, was.CapacityInterval
		if was.CapacityMethod != "" {
			c.Method = was.CapacityMethod
		}
		c.Message = clip(c.Message + "; the capacity under the objective that was measured stands")
	}
}

// writeTo writes what depends on the objective into a trial's status.
func (t *trial) writeTo(status *v1alpha1.SizingTrialStatus) {
	for i, step := range driven(status.Steps) {
		step.Outcome = t.steps[i].outcome()
	}
	status.Capacity = t.capacity.api
	row := status.Result
	row.ObjectiveMet = t.objectiveMet()
	row.CapacityMilliPerSecond, row.CapacityInterval, row.CapacityMethod, row.CapacityIsLowerBound = nil, nil, "", nil
	t.fillCapacity(row)
	if status.Calibration != nil && status.Prediction != nil {
		limit := prediction.LimitOf(t.Spec.Objective)
		status.Prediction.CapacityMilliPerSecond = rate(1000 * outlooks(Input{Spec: t.Spec, Calibration: speed.PlannedFor(*status)})(0, nil).Capacity(limit, false, 0))
	}
}

// noLooser reports whether what holds one objective holds another, too. A percentile that
// is absent may be any.
func noLooser(one, other v1alpha1.Objective) bool {
	within := func(a, b int32) bool { return b == 0 || a > 0 && a <= b }
	return one.P95Milliseconds <= other.P95Milliseconds && one.MaxErrorPerMille <= other.MaxErrorPerMille &&
		within(one.P50Milliseconds, other.P50Milliseconds) && within(one.P99Milliseconds, other.P99Milliseconds)
}
