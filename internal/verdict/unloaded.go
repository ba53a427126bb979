package verdict

import (
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/costfit"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Infeasible is the reason of a result that was found without load: no rate can
// meet the objective. It is no verdict of its own; Across holds the calibration that
// it follows from against the other trials.
const Infeasible = "Infeasible"

const (
	// limitStep is the step in which a sufficient limit is looked for.
	limitStep = 50
	// wholeCPU is the limit beyond which one login gets no faster: it is hashed on
	// one CPU.
	wholeCPU = 1000
)

// Unloaded is the judgement on a variant that can't meet the objective at any
// rate, because logins that meet an idle service miss it already. It is known
// from the calibration, and no load would tell more. The calibration is at the speed
// that the load would have been planned for, and the prediction was made from it.
func Unloaded(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration, predicted *v1alpha1.Prediction) Judgement {
	t := &trial{Input: Input{Spec: spec, Calibration: cal}}
	// The prediction is for the speed of this calibration, and so is the result.
	if ratio := speed.Ratio(cal); ratio > 0 {
		t.Input.Reference.Micros = float64(cal.HashMicroseconds) / ratio
	}
	t.setReference()
	row := t.row()
	row.ObjectiveMet = ptr.To(false)
	message := clip(infeasible(spec, cal, predicted))
	row.Reasons = append([]v1alpha1.Reason{{Type: Infeasible, Message: message}}, otherQuota(cal)...)
	row.Verdict = worst(row.Reasons)
	return Judgement{
		Result:   row,
		Speed:    t.speedStatus(),
		Capacity: &v1alpha1.Capacity{Method: v1alpha1.CapacityPredicted, Message: message},
	}
}

// infeasible says what an idle service takes, and what would help.
func infeasible(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration, predicted *v1alpha1.Prediction) string {
	idle := microseconds(predicted.NoLoadP95Microseconds).Round(time.Millisecond)
	advice := "lower the cost: no CPU limit makes a single login faster than that"
	if limit := sufficientLimit(spec, cal); limit > 0 {
		advice = fmt.Sprintf("lower the cost, or raise the CPU limit (from about %s)", resource.NewMilliQuantity(limit, resource.DecimalSI))
	}
	return fmt.Sprintf("A login on an idle service already takes %s at p95, above the objective of %d ms, so that no rate can meet it and none was tried; %s",
		idle, spec.Objective.P95Milliseconds, advice)
}

// sufficientLimit is the smallest CPU limit, in thousandths, with which a login
// on an idle service meets the objective; 0 where none does, or where the limit
// is no quota and so is not what holds a login up.
func sufficientLimit(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration) int64 {
	objective := prediction.LimitOf(spec.Objective).P95
	service := prediction.Model(spec, cal, 0)
	for limit := service.QuotaMilliCPU/limitStep*limitStep + limitStep; service.QuotaMilliCPU > 0 && limit <= wholeCPU; limit += limitStep {
		service.QuotaMilliCPU = limit
		if service.NoLoadP95() <= objective {
			return limit
		}
	}
	return 0
}

// unconfirmed: a variant is Infeasible by its calibration, which no load checked, and
// no other trial confirms it, or at the speed that all of them ran at together an idle
// service meets the objective.
func unconfirmed(trial *v1alpha1.SizingTrial, trials []v1alpha1.SizingTrial, reference speed.Reference) []v1alpha1.Reason {
	if !unloaded(trial) {
		return nil
	}
	if !confirmed(trial, trials) {
		return across([]v1alpha1.Reason{{Type: EvidenceMissing, Verdict: v1alpha1.VerdictSuspect, Message: fmt.Sprintf(
			"That no rate can meet the objective follows from the calibration of repetition %d alone: no load checked it, and no other trial on its node pool confirms it. Add a cost or a CPU limit to the matrix, or set repetitions: 2",
			trial.Spec.Repetition)}})
	}
	idle := prediction.Model(trial.Spec, speed.At(*trial.Status.Calibration, reference.Micros), 0).NoLoadP95()
	if idle > prediction.LimitOf(trial.Spec.Objective).P95 {
		return nil
	}
	return across([]v1alpha1.Reason{{Type: EvidenceMissing, Verdict: v1alpha1.VerdictSuspect, Message: fmt.Sprintf(
		"Repetition %d was calibrated while the CPU was slow, and not loaded: at the reference speed of all trials a login on an idle service takes %s, within the objective of %d ms, so that some rate may meet it. Measure again",
		trial.Spec.Repetition, idle.Round(time.Millisecond), trial.Spec.Objective.P95Milliseconds)}})
}

// confirmed tells whether another trial on the node pool timed hashes that speak for a
// trial's calibration: the same hash, as long, or another cost, which CostDoublingBroken
// holds it against. A cost that was scaled up must have about as many times the time as
// it has rounds.
func confirmed(trial *v1alpha1.SizingTrial, trials []v1alpha1.SizingTrial) bool {
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

// confirms tells whether one other trial speaks for a trial's calibration.
func confirms(trial, other *v1alpha1.SizingTrial) bool {
	variant := trial.Spec.Variant
	own, ratio := speed.Ratio(*trial.Status.Calibration), speed.Ratio(*other.Status.Calibration)
	switch {
	case own <= 0 || ratio <= 0:
		return false
	case matrix.Recipe(other.Spec.Variant) == matrix.Recipe(variant):
		return math.Abs(ratio/own-1) <= doublingSuspect
	case variant.Algorithm != v1alpha1.AlgorithmBcrypt || !costfit.Timed(other):
		return false
	case costfit.Timed(trial):
		return true // CostDoublingBroken holds the two against each other
	default:
		doubled := ratio * math.Exp2(float64(variant.Cost-other.Spec.Variant.Cost))
		return math.Abs(own/doubled-1) <= doublingInvalid
	}
}
