package speed

import (
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// AtReference returns the trials with their results at the reference speeds of an experiment.
// A trial is judged at the reference speed that is known when it ends, and later trials change
// that a little. Rates and latencies are converted in proportion. That is exact without a
// quota, and with one to a fraction of the change. Trials without a known speed are not
// changed.
func AtReference(trials []v1alpha1.SizingTrial, pools []v1alpha1.PoolSpeed) []v1alpha1.SizingTrial {
	converted := make([]v1alpha1.SizingTrial, len(trials))
	for i := range trials {
		converted[i] = *trials[i].DeepCopy()
		reference, pool := InPool(pools, NodePool(trials[i].Spec.Variant))
		if own := converted[i].Status.Speed; pool != nil && own != nil && own.ReferenceHashMicrosecondsAtCost8 > 0 {
			own.ReferenceErrorPerMille = pool.ErrorPerMille
			rebase(&converted[i], reference.Micros)
		}
	}
	return converted
}

// rebase converts a trial's status from its own reference speed to another. It does not change
// rates and users from the spec, and also not their latencies.
func rebase(trial *v1alpha1.SizingTrial, micros float64) {
	status := &trial.Status
	own, mode := status.Speed, trial.Spec.Load.Mode
	slower := micros / float64(own.ReferenceHashMicrosecondsAtCost8)
	own.ReferenceHashMicrosecondsAtCost8 = whole(micros)
	if status.Calibration != nil {
		*status.Calibration = At(*status.Calibration, micros)
	}
	rebaseSpeeds(status, slower)
	row := status.Result
	if row == nil {
		return
	}
	scale(1/slower, row.BoundMilliPerSecond)
	if timed(status.Steps) {
		scale(1/slower, row.MaxThroughputMilliPerSecond)
	}
	if status.Calibration != nil {
		row.Calibration = ptr.To(status.Calibration.CalibrationResult)
	}
	if s := row.Speed; s != nil {
		scale(1/slower, &s.LowPerMille, &s.MedianPerMille, &s.HighPerMille)
	}
	if loadplan.FindsCapacity(mode) && followsBound(status.Steps) {
		rebasePlanned(status, slower)
	}
}

// rebaseSpeeds converts the speeds themselves.
func rebaseSpeeds(status *v1alpha1.SizingTrialStatus, slower float64) {
	own := status.Speed
	scale(1/slower, &own.LowPerMille, &own.HighPerMille)
	for i, perMille := range own.WindowsPerMille {
		own.WindowsPerMille[i] = int32(whole(float64(perMille) / slower))
	}
	for i := range status.Steps {
		if observed := status.Steps[i].Speed; observed != nil {
			scale(1/slower, &observed.PerMille)
		}
	}
}

// timed reports whether the hash time is known in any step. Otherwise no measured rate was
// converted.
func timed(steps []v1alpha1.Step) bool {
	return slices.ContainsFunc(steps, func(s v1alpha1.Step) bool { return s.Speed != nil })
}

// followsBound reports whether the rates were planned as shares of the bound. If the generator
// can't drive that much, for example with sessions or a cheap hash, they are shares of what it
// can drive, and there is no saturation. Without a load there are only predictions, which
// follow the bound.
func followsBound(steps []v1alpha1.Step) bool {
	return len(steps) == 0 || slices.ContainsFunc(steps, func(s v1alpha1.Step) bool { return s.Kind == v1alpha1.StepSaturation })
}

// rebasePlanned converts numbers that depend on rates that were planned as shares of the
// bound.
func rebasePlanned(status *v1alpha1.SizingTrialStatus, slower float64) {
	if c := status.Capacity; c != nil {
		scale(1/slower, c.MilliPerSecond, c.PredictedMilliPerSecond, c.HighestMetMilliPerSecond, c.LowestFailedMilliPerSecond)
		rebaseRates(c.Interval, slower)
	}
	for i := range status.Steps {
		if at := status.Steps[i].AtReference; at != nil {
			scale(1/slower, &at.OfferedMilliPerSecond)
			scale(slower, at.P50Microseconds, at.P95Microseconds, at.P99Microseconds)
			for _, interval := range []*v1alpha1.Interval{at.P50Interval, at.P95Interval, at.P99Interval} {
				rebaseInterval(interval, slower)
			}
		}
	}
	row := status.Result
	scale(1/slower, row.CapacityMilliPerSecond, row.OfferedMilliPerSecond, row.ThroughputMilliPerSecond)
	rebaseRates(row.CapacityInterval, slower)
	scale(slower, row.P50Microseconds, row.P95Microseconds, row.P99Microseconds)
	for _, interval := range []*v1alpha1.Interval{row.P50Interval, row.P95Interval, row.P99Interval} {
		rebaseInterval(interval, slower)
	}
}

func rebaseRates(interval *v1alpha1.RateInterval, slower float64) {
	if interval != nil {
		scale(1/slower, &interval.LowMilliPerSecond, &interval.HighMilliPerSecond)
	}
}

func rebaseInterval(interval *v1alpha1.Interval, slower float64) {
	if interval != nil {
		scale(slower, &interval.LowMicroseconds, &interval.HighMicroseconds)
	}
}

// scale multiplies each number that is not nil.
func scale(factor float64, numbers ...*int64) {
	for _, n := range numbers {
		if n != nil {
			*n = times(*n, factor)
		}
	}
}

func times(n int64, factor float64) int64 { return whole(float64(n) * factor) }
