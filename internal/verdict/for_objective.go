package verdict

import (
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// ForObjective returns the trial as judged under another objective, without new load: the
// outcome of each step, the capacity, whether the objective is met, and the prediction from
// the calibration. It uses the stored steps and the model, as the run did. Verdict and
// reasons do not change, because they do not depend on the objective.
//
// A stricter objective never has a higher capacity than a looser one, and the trial's own
// objective has the stored capacity. For that, the steps limit the model in one way only: a
// capacity at or above a rate that failed is set to just below that rate. A model that the
// steps contradicted under the trial's own objective is not used under another one.
//
// A trial that was not loaded, because no rate could meet its objective, has a capacity
// under a looser objective that follows from the calibration alone. It is then Suspect,
// because there is no evidence.
func ForObjective(stored v1alpha1.SizingTrial, objective v1alpha1.Objective) v1alpha1.SizingTrial {
	judged := *stored.DeepCopy()
	judged.Spec.Objective = objective
	if judged.Status.Result == nil || stored.Spec.Objective == objective {
		return judged
	}
	if unloaded(&stored) {
		judgeUnloaded(&judged)
		return judged
	}
	t := restore(&judged)
	t.recall(judged.Status.Steps)
	t.capacity = t.decideCapacity(stored.Status.Capacity)
	t.keepMonotone(&stored)
	t.writeTo(&judged.Status)
	return judged
}

// unloaded reports whether a trial was found to be Infeasible without load.
func unloaded(stored *v1alpha1.SizingTrial) bool {
	return len(stored.Status.Steps) == 0 && stored.Status.Calibration != nil &&
		slices.ContainsFunc(stored.Status.Result.Reasons, func(r v1alpha1.Reason) bool { return r.Type == v1alpha1.ReasonInfeasible })
}

// judgeUnloaded judges a trial that was not loaded by its calibration alone.
func judgeUnloaded(trial *v1alpha1.SizingTrial) {
	status := &trial.Status
	service := simulated(Input{Spec: trial.Spec, Calibration: speed.PlannedFor(*status)})(0, nil)
	idle := ptr.Deref(status.Prediction, v1alpha1.Prediction{})
	predicted := rate(1000 * service.Capacity(model.LimitOf(trial.Spec.Objective)))
	idle.CapacityMilliPerSecond = predicted
	status.Prediction = &idle
	judged := Unloaded(trial.Spec, speed.PlannedFor(*status), &idle)
	judged.Result.Trials = status.Result.Trials
	status.Capacity = judged.Capacity
	if predicted != nil {
		fromCalibration(&judged, *predicted)
	}
	status.Result = &judged.Result
}

// fromCalibration sets the predicted capacity of a trial that was not loaded, under an
// objective that some rate can meet.
func fromCalibration(judged *Judgement, predicted int64) {
	message := "The variant was not loaded, because no rate could meet the objective of the measurement. Under this objective, its capacity follows from the calibration alone. Measure it under this objective"
	judged.Capacity.MilliPerSecond, judged.Capacity.PredictedMilliPerSecond, judged.Capacity.Message = &predicted, &predicted, message
	row := &judged.Result
	row.ObjectiveMet, row.CapacityMilliPerSecond, row.CapacityMethod = ptr.To(true), &predicted, v1alpha1.CapacityPredicted
	row.Verdict = v1alpha1.VerdictSuspect
	row.Reasons = []v1alpha1.Reason{{Type: v1alpha1.ReasonEvidenceMissing, Verdict: v1alpha1.VerdictSuspect, Message: message}}
}

// keepMonotone keeps the stored capacity if the new one contradicts it, which the rounding of
// what is stored can make it do.
func (t *trial) keepMonotone(stored *v1alpha1.SizingTrial) {
	c, was := t.capacity.api, stored.Status.Result
	if c == nil {
		return
	}
	now, then := t.Spec.Objective, stored.Spec.Objective
	current, known := ptr.Deref(c.MilliPerSecond, 0), ptr.Deref(was.CapacityMilliPerSecond, 0)
	stricter, looser := noLooser(now, then), noLooser(then, now)
	if stricter && current > known || looser && current < known {
		c.MilliPerSecond, c.Interval = was.CapacityMilliPerSecond, was.CapacityInterval
		if was.CapacityMethod != "" {
			c.Method = was.CapacityMethod
		}
		c.Message = units.Clip(c.Message+"; the capacity under the measured objective is kept", v1alpha1.MaxReasonMessage)
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
		limit := model.LimitOf(t.Spec.Objective)
		status.Prediction.CapacityMilliPerSecond = rate(1000 * simulated(Input{Spec: t.Spec, Calibration: speed.PlannedFor(*status)})(0, nil).Capacity(limit))
	}
}

// noLooser reports whether every service that meets one objective meets the other, too. A
// percentile that is not set has no limit.
func noLooser(one, other v1alpha1.Objective) bool {
	within := func(a, b int32) bool { return b == 0 || a > 0 && a <= b }
	return one.P95Milliseconds <= other.P95Milliseconds && one.MaxErrorPerMille <= other.MaxErrorPerMille &&
		within(one.P50Milliseconds, other.P50Milliseconds) && within(one.P99Milliseconds, other.P99Milliseconds)
}
