package loadplan

import (
	"fmt"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// Duration is how long a plan takes, from the start of the k6 run to the end
// of the last step's drain.
func Duration(p Plan) time.Duration {
	if len(p.Steps) == 0 {
		return 0
	}
	return time.Duration(p.Steps[len(p.Steps)-1].EndMilliseconds()) * time.Millisecond
}

// MaxDuration is the longest that the load of one attempt can take, whatever
// the calibration finds. It is of the load only: the start of pods, the
// calibration and the start of k6 come on top.
func MaxDuration(spec v1alpha1.SizingTrialSpec) time.Duration {
	load := spec.Load
	timeout := time.Duration(load.RequestTimeoutSeconds) * time.Second
	beside := timeout + timeoutGrace + gapMilliseconds*time.Millisecond
	total := time.Duration(load.WarmupSeconds)*time.Second + beside
	for _, counted := range longestCounted(load) {
		total += longestSettling + counted + beside
	}
	return total
}

// longestCounted is the longest that the counted part of each step can last.
func longestCounted(load v1alpha1.Load) []time.Duration {
	var longest []time.Duration
	step := time.Duration(load.StepSeconds) * time.Second
	switch load.Mode {
	case v1alpha1.LoadRates:
		for _, rate := range load.RatesPerSecond {
			counted := step
			if offered, err := milliPerSecond(rate); err == nil {
				counted = max(step, time.Duration(countedMilliseconds(ratesRequests(load, offered), offered))*time.Millisecond)
			}
			longest = append(longest, counted)
		}
	case v1alpha1.LoadUsers:
		for range load.Users {
			longest = append(longest, step)
		}
	default:
		counted := max(step, time.Duration(load.MaxStepSeconds)*time.Second)
		for range len(capacityLoads()) + 1 {
			longest = append(longest, counted)
		}
	}
	return longest
}

// Of an attempt before its calibration is known. The hash time is what
// golang.org/x/crypto/bcrypt takes on a 2024 server core (Zen 4), within 1 %
// there and within a factor of 2 elsewhere, which is fair enough for a guess
// that is corrected as soon as the first trial has ended.
const (
	guessedHashConstant = 34.0  // microseconds
	guessedHashFactor   = 55.25 // microseconds × 2^cost
	guessedReference    = 2 * time.Second
	guessedOverhead     = 10 * time.Second // pods start, k6 starts, all is taken away
)

// Estimate is a fair guess of how long one attempt takes as a whole, from the
// trial's spec alone. Errors are those of Build.
func Estimate(spec v1alpha1.SizingTrialSpec) (time.Duration, error) {
	cal, err := guess(spec.Variant)
	if err != nil {
		return 0, err
	}
	s, err := newService(spec, cal)
	if err != nil {
		return 0, err
	}
	plan, err := Build(spec, cal)
	if err != nil {
		return 0, err
	}
	return Duration(plan) + guessedCalibration(s) + guessedOverhead, nil
}

// guess is a calibration of the variant on a common machine.
func guess(variant v1alpha1.Variant) (v1alpha1.TrialCalibration, error) {
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		return v1alpha1.TrialCalibration{}, fmt.Errorf("estimate: %w", err)
	}
	hash := guessedHashConstant + guessedHashFactor*math.Exp2(float64(variant.Cost))
	return v1alpha1.TrialCalibration{
		CalibrationResult: v1alpha1.CalibrationResult{HashMicroseconds: int64(hash)},
		GoMaxProcs:        int32((limit + milli - 1) / milli),
		QuotaMilliCPU:     &limit,
	}, nil
}

// guessedCalibration is three seconds or ten hashes, at most a minute, and
// the reference.
func guessedCalibration(s service) time.Duration {
	return min(time.Minute, max(3*time.Second, 10*s.interval)) + guessedReference
}
