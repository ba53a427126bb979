package prediction_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// timed returns the trials of the quickstart with a speed: that of their calibrations, for
// which the load was planned and which did not change.
func timed(t *testing.T, changes ...func(*v1beta1.SizingTrial)) (v1beta1.SizingExperimentSpec, []v1beta1.SizingTrial) {
	t.Helper()
	spec, trials := quickstart()
	for i := range trials {
		status := &trials[i].Status
		cal := status.Calibration
		cal.RatioPerMillion = 1_000_000 * cal.HashMicroseconds / cal.ReferenceMicroseconds
		status.Speed = &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: cal.ReferenceMicroseconds, PlannedHashMicrosecondsAtCost8: cal.ReferenceMicroseconds}
		for k := range status.Steps {
			status.Steps[k].Speed = &v1beta1.StepSpeed{HashMicroseconds: cal.HashMicroseconds, PerMille: 1000}
		}
		for _, change := range changes {
			change(&trials[i])
		}
	}
	return spec, trials
}

// slowRun makes the CPU slower by a quarter during the load, so that the same logins use a
// quarter more CPU time.
func slowRun(t *v1beta1.SizingTrial) {
	for i := range t.Status.Steps {
		if step := &t.Status.Steps[i]; step.Service != nil {
			step.Service.CPUMicroseconds = step.Service.CPUMicroseconds * 5 / 4
			step.Speed.PerMille = 1250
		}
	}
}

// fastCalibration makes the hash time of the calibration shorter by a fifth.
func fastCalibration(t *v1beta1.SizingTrial) {
	t.Status.Calibration.HashMicroseconds = t.Status.Calibration.HashMicroseconds * 4 / 5
	t.Status.Calibration.ReferenceMicroseconds = t.Status.Calibration.ReferenceMicroseconds * 4 / 5
}

// slowPlan makes a trial planned for a CPU that is slower by a quarter, so that its logins are
// farther apart.
func slowPlan(t *v1beta1.SizingTrial) {
	t.Status.Speed.PlannedHashMicrosecondsAtCost8 = t.Status.Speed.PlannedHashMicrosecondsAtCost8 * 5 / 4
	predicted := t.Status.Prediction
	*predicted.CapacityMilliPerSecond = *predicted.CapacityMilliPerSecond * 4 / 5
	for _, step := range t.Status.Steps {
		if step.Plan != nil && step.OfferedMilliPerSecond != nil {
			*step.OfferedMilliPerSecond = *step.OfferedMilliPerSecond * 4 / 5
			step.Plan.SettleMilliseconds = step.Plan.SettleMilliseconds * 5 / 4
			step.Plan.CountedMilliseconds = step.Plan.CountedMilliseconds * 5 / 4
		}
	}
}

// onlyCost10 leaves out the other costs.
func onlyCost10(spec *v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) []v1beta1.SizingTrial {
	spec.Matrix.Costs = []int32{10}
	var tens []v1beta1.SizingTrial
	for _, trial := range trials {
		if trial.Spec.Variant.Hash.Cost() == 10 {
			tens = append(tens, trial)
		}
	}
	return tens
}

// Predictions are at the reference speed, whatever the speed of the CPU was when a trial was
// calibrated, planned, or under load.
func TestPredictionsAreThoseAtTheReferenceSpeed(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*v1beta1.SizingTrial)
		single bool
	}{
		"a slow CPU under load":                          {slowRun, false},
		"a fast one in the calibration":                  {fastCalibration, false},
		"a fast one in the calibration of a single cost": {fastCalibration, true},
		"a plan for another speed":                       {slowPlan, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, usual := timed(t)
			_, changed := timed(t, test.change)
			if test.single {
				usual, changed = onlyCost10(&spec, usual), onlyCost10(&spec, changed)
			}
			rows, check := predict(spec, usual)
			otherwise, otherCheck := predict(spec, changed)
			// CPU times are rounded to microseconds, which has the largest effect on an
			// interval near the lowest rate.
			near := cmp.Comparer(func(a, b int64) bool { return math.Abs(float64(a-b)) <= 0.01*math.Abs(float64(a)) })
			if diff := cmp.Diff(rows, otherwise, near); diff != "" || len(rows) == 0 {
				t.Errorf("predictions (-usual +changed):\n%s", diff)
			}
			for i, held := range check.HeldOut {
				other := otherCheck.HeldOut[i]
				if diff := cmp.Diff(held.PredictedCapacityMilliPerSecond, other.PredictedCapacityMilliPerSecond, near); diff != "" {
					t.Errorf("capacity of %s (-usual +changed):\n%s", held.Variant, diff)
				}
				if diff := cmp.Diff(held.PredictedP95Microseconds, other.PredictedP95Microseconds, near); diff != "" {
					t.Errorf("p95 of %s (-usual +changed):\n%s", held.Variant, diff)
				}
			}
		})
	}
}
