package loadplan

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/password"
)

// Duration returns how long a plan takes, from the start of the k6 run to the end of the
// last step's drain.
func Duration(p Plan) time.Duration {
	if len(p.Steps) == 0 {
		return 0
	}
	return time.Duration(p.Steps[len(p.Steps)-1].EndMilliseconds()) * time.Millisecond
}

// MaxDuration returns the longest time that the load of one attempt can take, whatever the calibration
// finds, without the start of pods and k6 and the calibration.
func MaxDuration(spec v1beta1.SizingTrialSpec) time.Duration {
	load := spec.Load
	timeout := time.Duration(load.RequestTimeoutSeconds) * time.Second
	drain := timeout + timeoutGrace + gapMilliseconds*time.Millisecond
	total := load.Warmup() + drain
	var longest []time.Duration
	switch spec.Role {
	case v1beta1.RoleCalibration:
		return 0
	case v1beta1.RoleVerification:
		longest = checks()
	default:
		longest = longestCounted(load)
	}
	if spec.Role == v1beta1.RoleDecision && spec.StopsEarly() {
		longest = append(checks(), longestStep(load))
	}
	for _, counted := range longest {
		total += longestSettling + counted + drain
	}
	return total
}

// checks returns the longest counted parts of the steps of one rate that is checked.
func checks() []time.Duration {
	longest := make([]time.Duration, mostChecks)
	longest[0] = matrix.VerificationSeconds * time.Second // all of them together
	return longest
}

// longestStep returns the longest counted part of a step with load.capacity.
func longestStep(load v1beta1.Load) time.Duration {
	return time.Duration(max(load.StepSeconds, load.MaxStepSeconds())) * time.Second
}

func longestCounted(load v1beta1.Load) []time.Duration {
	var longest []time.Duration
	step := time.Duration(load.StepSeconds) * time.Second
	switch load.Mode() {
	case v1beta1.LoadRates:
		for _, rate := range load.Rates.PerSecond {
			counted := step
			if offered, err := milliPerSecond(rate); err == nil {
				counted = max(step, time.Duration(countedMilliseconds(ratesRequests(load, offered), offered))*time.Millisecond)
			}
			longest = append(longest, counted)
		}
	case v1beta1.LoadUsers:
		for range load.Users.Counts {
			longest = append(longest, step)
		}
	default:
		counted := longestStep(load)
		for range len(capacityLoads()) + 2 { // and the predicted capacity, and the saturation
			longest = append(longest, counted)
		}
	}
	return longest
}

// mostCapacitySteps bounds the time of mode Capacity, whose steps also settle and drain: that of
// 24 steps of the longest length.
const mostCapacitySteps = 24

// LongestExperiment is how long the plan of an experiment can take, without verifications.
const LongestExperiment = 24 * time.Hour

const startAllowance = time.Minute

// CheckDuration returns an error if the plan of an experiment can take longer than LongestExperiment.
// Errors include those of matrix.Measured.
func CheckDuration(spec v1beta1.SizingExperimentSpec) error {
	measured, err := matrix.Measured(spec, nil)
	if err != nil {
		return err
	}
	variants := len(measured)
	if matrix.Measuring(spec) == v1beta1.MeasureDecision {
		variants = v1beta1.MaxDecisionLoads
	}
	load := spec.Load
	steps, step := mostCapacitySteps, load.MaxStepSeconds()
	switch load.Mode() {
	case v1beta1.LoadRates:
		steps, step = len(load.Rates.PerSecond), load.StepSeconds
	case v1beta1.LoadUsers:
		steps, step = len(load.Users.Counts), load.StepSeconds
	}
	seconds := func(n int32) time.Duration { return time.Duration(n) * time.Second }
	repetitions := ptr.Deref(spec.Repetitions, 1)
	trial := startAllowance + load.Warmup() + time.Duration(steps)*seconds(step+load.RequestTimeoutSeconds)
	if total := time.Duration(variants) * time.Duration(repetitions) * trial; total > LongestExperiment {
		return fmt.Errorf("the plan can take %s: %d variants, measured %d times, for up to %s each. It can take at most 24 hours; "+
			"use fewer variants, repetitions or steps, shorter steps, or measure: Corners with load.capacity",
			total.Round(time.Minute), variants, repetitions, trial)
	}
	return nil
}

// TimedAgain is how long hashes are timed at least on a node pool where another trial has timed them for longer. It is enough
// to plan the load.
const TimedAgain = 1500 * time.Millisecond

// guessedOverhead is the time of the reference hashes, of the start of pods and k6, of the hashes after the
// load, and of the removal of everything.
const guessedOverhead = 14 * time.Second

// Estimate returns about how long one attempt takes in total, from the trial's spec alone, on a CPU that needs the
// given multiple of the guessed hash time. Its errors are those of Build and Guess.
func Estimate(spec v1beta1.SizingTrialSpec, slower float64) (time.Duration, error) {
	cal, err := Guess(spec.Variant, slower)
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
	case spec.Role == v1beta1.RoleCalibration, s.isInfeasible(spec):
		plan = Plan{} // it ends after its calibration
	case spec.StopsEarly():
		plan = plan.First(len(plan.WithoutWarmup()) - len(laterChecks(plan))) // most are decided then
	}
	least := calibration.Standard.Least
	if spec.TimesAgain() {
		least = TimedAgain
	}
	timing := min(calibration.Standard.Most, max(least, time.Duration(calibration.Standard.LeastSamples)*s.interval))
	return Duration(plan) + timing + guessedOverhead, nil
}

// laterChecks returns the steps of a plan after which an outcome is checked again.
func laterChecks(plan Plan) []Step {
	checked := func(s Step) bool { return s.Purpose == v1beta1.PurposeVerification && !s.Reported }
	return slices.DeleteFunc(plan.WithoutWarmup(), func(s Step) bool { return !checked(s) })
}

// Guess returns what the calibration of a variant is likely to find on a CPU that needs the given multiple of the
// guessed hash time. It returns an error if the CPU limit is invalid.
func Guess(variant v1beta1.Variant, slower float64) (handover.Calibration, error) {
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		return handover.Calibration{}, fmt.Errorf("estimate: %w", err)
	}
	micros := func(r password.Recipe) int64 {
		return max(1, int64(slower*float64(r.GuessedTime().Microseconds())))
	}
	return handover.Calibration{
		CalibrationResult:     handover.CalibrationResult{HashMicroseconds: micros(matrix.Recipe(variant))},
		ReferenceMicroseconds: micros(password.Recipe{Algorithm: password.Bcrypt, Cost: password.ReferenceCost}),
		Surroundings:          handover.Surroundings{GoMaxProcs: matrix.WholeCPUs(limit), QuotaMilliCPU: &limit},
	}, nil
}

// isInfeasible reports whether a login that is alone on a replica is likely to take longer than the
// objective. No load is run then if the mode searches for a rate.
func (s service) isInfeasible(spec v1beta1.SizingTrialSpec) bool {
	objective := time.Duration(spec.Objective.P95Milliseconds) * time.Millisecond
	return spec.Load.Mode() == v1beta1.LoadCapacity && !s.sessions && objective > 0 && s.interval > objective
}
