package sizing

import (
	"math"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Calibrated returns the status that follows from hash times alone, before anything is
// deployed. The calibrations are of one machine, one for each bcrypt cost of the spec's
// matrix. Every variant is predicted, and a size has confidence Low. Errors are those of
// Rows.
func Calibrated(spec v1beta1.SizingExperimentSpec, calibrations map[int32]*handover.Calibration) (*v1beta1.SizingExperimentStatus, error) {
	t, err := newTable(spec, calibratedTrials(spec, calibrations), nil)
	if err != nil {
		return nil, err
	}
	status := &v1beta1.SizingExperimentStatus{
		Phase: v1beta1.ExperimentSucceeded, Speed: t.speeds,
		HashTimes: results.HashTimes(t.trials), CostFits: results.CostFits(t.trials),
	}
	for i := range status.HashTimes {
		timed := &status.HashTimes[i]
		timed.ErrorMicroseconds = ownError(*timed, *calibrations[timed.Hash.Cost()])
	}
	if status.Predictions, err = prediction.FromHashTimes(spec, status.HashTimes); err != nil {
		return nil, err
	}
	t.calibrated, t.service = true, func(v v1beta1.Variant) (model.Service, bool) {
		return prediction.ServiceFromHashTime(spec, status.HashTimes, v)
	}
	t.recommend(status)
	return status, nil
}

// ownError returns the error of a hash time from its own calibration, in microseconds,
// because batch means need more than a few costs that were each timed once. The ratio to the
// reference hash excludes the drift, which the speed shows.
func ownError(timed v1beta1.HashTime, cal handover.Calibration) int64 {
	if cal.RatioErrorPerMillion <= 0 || cal.RatioPerMillion <= 0 {
		return cal.ErrorMicroseconds
	}
	return int64(math.Ceil(float64(timed.HashMicroseconds) * float64(cal.RatioErrorPerMillion) / float64(cal.RatioPerMillion)))
}

// calibratedTrials returns a trial for each calibration, with only the calibration in it. Their reference
// is the median over all of them.
func calibratedTrials(spec v1beta1.SizingExperimentSpec, calibrations map[int32]*handover.Calibration) []v1beta1.SizingTrial {
	var windows [][]speed.Window
	for _, calibration := range calibrations {
		windows = append(windows, speed.OfCalibration(*calibration))
	}
	typical, _ := speed.Median(windows)
	var trials []v1beta1.SizingTrial
	for i, cost := range matrix.Costs(spec.Matrix) {
		if calibrations[cost] == nil {
			continue
		}
		trials = append(trials, v1beta1.SizingTrial{
			Spec: v1beta1.SizingTrialSpec{
				Variant:  v1beta1.Variant{Hash: v1beta1.BcryptHash(cost)},
				Sequence: int32(i + 1), Repetition: 1,
			},
			Status: v1beta1.SizingTrialStatus{
				Calibration: calibrations[cost],
				Speed:       &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: int64(math.Round(typical))},
				Result:      &v1beta1.VariantResult{Verdict: v1beta1.VerdictValid},
			},
		})
	}
	return trials
}
