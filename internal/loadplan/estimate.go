package loadplan

import (
	"fmt"
	"math"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// Estimates of an attempt before its calibration. The hash times are those of
// golang.org/x/crypto and the standard library on a 2024 server core (Zen 4): bcrypt's within
// 1 % there, the others' from a few hashes with OWASP's parameters (Argon2id 22 ms, scrypt
// 322 ms, PBKDF2 100 ms). Elsewhere they are within a factor of 2, which is enough for an
// estimate that is corrected as soon as the first trial has ended.
const (
	guessedHashConstant = 34.0  // microseconds
	guessedHashFactor   = 55.25 // microseconds × 2^cost
	guessedArgon2       = 0.563 // microseconds × KiB × iterations
	guessedScrypt       = 2.46  // microseconds × KiB × lanes
	guessedPBKDF2       = 0.166 // microseconds × iterations
	guessedReference    = 2 * time.Second
	guessedOverhead     = 10 * time.Second // start of pods and k6, removal of everything
)

// guessedHash returns the estimated CPU time of one of the variant's hashes, in
// microseconds.
func guessedHash(variant v1alpha1.Variant) float64 {
	memory, iterations := float64(ptr.Deref(variant.MemoryKiB, 0)), float64(ptr.Deref(variant.Iterations, 0))
	switch variant.Algorithm {
	case v1alpha1.AlgorithmArgon2id:
		return guessedArgon2 * memory * iterations
	case v1alpha1.AlgorithmScrypt:
		return guessedScrypt * memory * float64(ptr.Deref(variant.Parallelism, 1))
	case v1alpha1.AlgorithmPBKDF2:
		return guessedPBKDF2 * iterations
	case v1alpha1.AlgorithmSHA256:
		return 1
	default:
		return guessedHashConstant + guessedHashFactor*math.Exp2(float64(variant.Cost))
	}
}

// Estimate returns about how long one attempt takes in total, from the trial's spec alone.
// Its errors are those of Build.
func Estimate(spec v1alpha1.SizingTrialSpec) (time.Duration, error) {
	cal, err := guess(spec.Variant)
	if err != nil {
		return 0, err
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
	return Duration(plan) + guessedCalibration(s) + guessedOverhead, nil
}

// isInfeasible reports whether a login that is alone on a replica is likely to take longer than the
// objective. No load is run then if the mode searches for a rate.
func (s service) isInfeasible(spec v1alpha1.SizingTrialSpec) bool {
	objective := time.Duration(spec.Objective.P95Milliseconds) * time.Millisecond
	return FindsCapacity(spec.Load.Mode) && !s.sessions && objective > 0 && s.interval > objective
}

// guess returns the estimated calibration of the variant on a common machine.
func guess(variant v1alpha1.Variant) (handover.Calibration, error) {
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		return handover.Calibration{}, fmt.Errorf("estimate: %w", err)
	}
	return handover.Calibration{
		CalibrationResult: handover.CalibrationResult{HashMicroseconds: max(1, int64(guessedHash(variant)))},
		Surroundings: handover.Surroundings{GoMaxProcs: int32((limit + milli - 1) / milli),
			QuotaMilliCPU: &limit},
	}, nil
}

// guessedCalibration returns the time of three seconds or ten hashes, at most a minute, and
// of the reference hashes.
func guessedCalibration(s service) time.Duration {
	return min(time.Minute, max(3*time.Second, 10*s.interval)) + guessedReference
}
