package verdict

import (
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// limitStep is the step size of the search for a sufficient CPU limit.
	limitStep = 50
	// wholeCPU is the limit above which one login gets no faster, because it is hashed on
	// one CPU.
	wholeCPU = 1000
)

// Unloaded judges a variant that cannot meet the objective at any rate, because a login on
// an idle service is already too slow. This follows from the calibration, so no load is
// needed. The calibration is at the speed that the load would have been planned for, and
// the prediction was made from it. The reference speed is as in [Input]; if it is 0, this calibration
// fixes it.
func Unloaded(spec v1beta1.SizingTrialSpec, cal handover.Calibration, predicted *v1beta1.Prediction, reference float64) Judgement {
	t, row := calibrated(spec, cal, reference)
	status := v1beta1.SizingTrialStatus{Calibration: &cal, Prediction: predicted, Result: &row}
	decideInfeasible(spec, cal, &status)
	return Judgement{Result: row, Speed: t.speedStatus(), Capacity: status.Capacity}
}

// Calibrated returns what a calibration alone shows about a variant: the time of its hash and the speed of the CPU. The
// reference speed is as in [Input]; if it is 0, this calibration fixes it.
func Calibrated(spec v1beta1.SizingTrialSpec, cal handover.Calibration, reference float64) Judgement {
	t, row := calibrated(spec, cal, reference)
	row.Verdict = worst(row.Reasons)
	return Judgement{Result: row, Speed: t.speedStatus()}
}

func calibrated(spec v1beta1.SizingTrialSpec, cal handover.Calibration, reference float64) (*trial, v1beta1.VariantResult) {
	t := &trial{Input: Input{Spec: spec, Calibration: cal, Reference: reference}}
	if ratio := speed.Ratio(cal); ratio > 0 && reference <= 0 {
		t.Input.Reference = float64(cal.HashMicroseconds) / ratio
	}
	t.setReference()
	row := t.row()
	row.Reasons = otherQuota(cal)
	return t, row
}

// decideInfeasible writes into a status that no rate can meet the objective. The calibration is at the
// speed that the load would have been planned for.
func decideInfeasible(spec v1beta1.SizingTrialSpec, cal handover.Calibration, status *v1beta1.SizingTrialStatus) {
	message := units.Clip(infeasible(spec, cal, status.Prediction), v1beta1.MaxReasonMessage)
	status.Capacity = &v1beta1.Capacity{Method: v1beta1.CapacityPredicted, Message: message}
	row := status.Result
	row.ObjectiveMet = ptr.To(false)
	row.Reasons = append([]v1beta1.Reason{{Type: v1beta1.ReasonInfeasible, Message: message}}, row.Reasons...)
	row.Verdict = worst(row.Reasons)
}

func infeasible(spec v1beta1.SizingTrialSpec, cal handover.Calibration, predicted *v1beta1.Prediction) string {
	idle := microseconds(predicted.NoLoadP95Microseconds).Round(time.Millisecond)
	advice := "lower the cost, because no CPU limit makes a single login fast enough"
	if limit := sufficientLimit(spec, cal); limit > 0 {
		advice = fmt.Sprintf("lower the cost, or raise the CPU limit to at least about %s", resource.NewMilliQuantity(limit, resource.DecimalSI))
	}
	return fmt.Sprintf("A login on an idle service already takes %s at p95, above the objective of %d ms. No rate can meet the objective, so no load was run: %s",
		idle, spec.Objective.P95Milliseconds, advice)
}

// sufficientLimit returns the smallest CPU limit, in thousandths, with which a login on an idle service meets
// the objective; 0 if no limit does, or without a quota that could delay a login.
func sufficientLimit(spec v1beta1.SizingTrialSpec, cal handover.Calibration) int64 {
	objective := model.LimitOf(spec.Objective).P95
	service := model.NewService(spec, cal, 0)
	for limit := service.QuotaMilliCPU/limitStep*limitStep + limitStep; service.QuotaMilliCPU > 0 && limit <= wholeCPU; limit += limitStep {
		service.QuotaMilliCPU = limit
		if service.NoLoadP95() <= objective {
			return limit
		}
	}
	return 0
}

// unconfirmed finds an Infeasible variant that no other trial confirms, or that meets the
// objective on an idle service at the typical speed of all trials, in microseconds at cost 8. Infeasible
// follows from the calibration, which no load checked.
func unconfirmed(trial *v1beta1.SizingTrial, trials []v1beta1.SizingTrial, typical float64) []v1beta1.Reason {
	if !unloaded(trial) {
		return nil
	}
	if !confirmed(trial, trials) {
		return finding(v1beta1.ReasonEvidenceMissing, v1beta1.VerdictSuspect,
			"Only the calibration of repetition %d shows that no rate can meet the objective: no load was run, and no other trial on its node pool confirms it. Add a cost or a CPU limit to the matrix, or set repetitions: 2",
			trial.Spec.Repetition)
	}
	idle := model.NewService(trial.Spec, speed.At(*trial.Status.Calibration, typical), 0).NoLoadP95()
	if idle > model.LimitOf(trial.Spec.Objective).P95 {
		return nil
	}
	return finding(v1beta1.ReasonEvidenceMissing, v1beta1.VerdictSuspect,
		"Repetition %d was calibrated while the CPU was slow, and no load was run. At the typical speed of all trials, a login on an idle service takes %s, which is within the objective of %d ms, so some rate may meet it. Measure again",
		trial.Spec.Repetition, idle.Round(time.Millisecond), trial.Spec.Objective.P95Milliseconds)
}

// confirmed reports whether another trial on the node pool timed the same hash in about the same time, or
// another cost, which CostDoublingBroken compares. The time of a cost that was scaled up, and of a login at a user's own
// service, whose part beside the hash is unknown, must be about proportional to the rounds.
func confirmed(trial *v1beta1.SizingTrial, trials []v1beta1.SizingTrial) bool {
	for i := range trials {
		other := &trials[i]
		if other == trial || !usable(other) || other.Status.Calibration == nil || speed.NodePool(other.Spec.Variant) != speed.NodePool(trial.Spec.Variant) {
			continue
		}
		if confirms(trial, other) {
			return true
		}
	}
	return false
}

func confirms(trial, other *v1beta1.SizingTrial) bool {
	variant := trial.Spec.Variant
	own, ratio := speed.Ratio(*trial.Status.Calibration), speed.Ratio(*other.Status.Calibration)
	switch {
	case own <= 0 || ratio <= 0:
		return false
	case matrix.Recipe(other.Spec.Variant) == matrix.Recipe(variant):
		return math.Abs(ratio/own-1) <= doublingSuspect
	case variant.Hash.Bcrypt == nil || !model.Timed(other):
		return false
	case model.Timed(trial) && trial.Spec.Service.Own == nil:
		return true // CostDoublingBroken compares the two
	default:
		doubled := ratio * math.Exp2(float64(variant.Hash.Cost()-other.Spec.Variant.Hash.Cost()))
		return math.Abs(own/doubled-1) <= doublingInvalid
	}
}

// unloaded reports whether a trial was found to be Infeasible without load.
func unloaded(stored *v1beta1.SizingTrial) bool {
	return len(stored.Status.Steps) == 0 && stored.Status.Calibration != nil &&
		slices.ContainsFunc(stored.Status.Result.Reasons, func(r v1beta1.Reason) bool { return r.Type == v1beta1.ReasonInfeasible })
}

// decideUnloaded decides on a trial that was not loaded, under another objective. If some rate can meet
// it, the capacity follows from the calibration alone.
func decideUnloaded(spec v1beta1.SizingTrialSpec, status *v1beta1.SizingTrialStatus) {
	row := status.Result
	row.Reasons = slices.DeleteFunc(row.Reasons, func(r v1beta1.Reason) bool { return r.Type == v1beta1.ReasonInfeasible })
	predicted := status.Prediction.CapacityMilliPerSecond
	if predicted == nil {
		decideInfeasible(spec, speed.PlannedFor(*status), status)
		return
	}
	const message = "The variant was not loaded, because no rate could meet the objective of the measurement. Under this objective, its capacity follows from the calibration alone. Measure it under this objective"
	status.Capacity = &v1beta1.Capacity{Method: v1beta1.CapacityPredicted, MilliPerSecond: predicted, PredictedMilliPerSecond: predicted, Message: message}
	row.ObjectiveMet, row.CapacityMilliPerSecond, row.CapacityMethod = ptr.To(true), predicted, v1beta1.CapacityPredicted
	row.Reasons = append([]v1beta1.Reason{{Type: v1beta1.ReasonEvidenceMissing, Verdict: v1beta1.VerdictSuspect, Message: message}}, row.Reasons...)
	row.Verdict = worst(row.Reasons)
}
