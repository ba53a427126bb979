package loadplan

import (
	"fmt"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// guessedOverhead is the time of the reference hashes, of the start of pods and k6, and of the removal of
// everything.
const guessedOverhead = 12 * time.Second

// Estimate returns about how long one attempt takes in total, from the trial's spec alone.
// Its errors are those of Build.
func Estimate(spec v1alpha1.SizingTrialSpec) (time.Duration, error) {
	limit, err := matrix.MilliCPU(spec.Variant.CPULimit)
	if err != nil {
		return 0, fmt.Errorf("estimate: %w", err)
	}
	cal := handover.Calibration{
		CalibrationResult: handover.CalibrationResult{HashMicroseconds: max(1, matrix.Recipe(spec.Variant).GuessedTime().Microseconds())},
		Surroundings:      handover.Surroundings{GoMaxProcs: matrix.WholeCPUs(limit), QuotaMilliCPU: &limit},
	}
	s, err := newService(spec, cal)
	if err != nil {
		return 0, err
	}
	plan, err := Build(spec, cal, nil)
	if err != nil {
		return 0, err
	}
	switch {
	case spec.Role == v1alpha1.RoleVerification:
		plan = plan.First(1) // most verifications are decided then
	case s.isInfeasible(spec):
		plan = Plan{} // it ends after its calibration
	}
	calibration := min(time.Minute, max(3*time.Second, 10*s.interval))
	return Duration(plan) + calibration + guessedOverhead, nil
}

// isInfeasible reports whether a login that is alone on a replica is likely to take longer than the
// objective. No load is run then if the mode searches for a rate.
func (s service) isInfeasible(spec v1alpha1.SizingTrialSpec) bool {
	objective := time.Duration(spec.Objective.P95Milliseconds) * time.Millisecond
	return FindsCapacity(spec.Load.Mode) && !s.sessions && objective > 0 && s.interval > objective
}
