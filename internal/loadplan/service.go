package loadplan

import (
	"errors"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// ErrNotCalibrated means that the calibration has no hash time or no CPU, so that no rate
// can be planned from it.
var ErrNotCalibrated = errors.New("the calibration has no hash time or no GOMAXPROCS")

const (
	// longestSettling limits the time before a step counts.
	longestSettling = 30 * time.Second
	// shortestDrain allows for the stalls of a quota and for the network.
	shortestDrain = time.Second
	timeoutGrace  = 500 * time.Millisecond
)

// SteadyBelow is the utilisation below which a queue can reach a steady state in time: at 98 %
// load D/(1−ρ)² is 2,500 service times. Above it a step is an overload.
const SteadyBelow = 0.98

// Multiples of Relaxation.
const (
	// SettlingRelaxations is how long a step is held before it counts: about two and a half
	// relaxation times of its queue.
	SettlingRelaxations = 5
	// SteadyRelaxations is how long a step counts to show a steady state: about ten relaxation
	// times. With fewer, p95 depends on the initial state of the queue.
	SteadyRelaxations = 20
)

// plannedForDecision is how long the reported step counts if a decision loads the variant and verifies it later, and
// neededForDecision what is enough if load.capacity.maxStepSeconds allows no more.
const plannedForDecision, neededForDecision = 14, 10

// NeededRelaxations returns how long the reported step of a trial has to count, as a multiple of Relaxation. In a
// decision that step only shows measured ÷ simulated p95 of the same logins, for which half the time is enough.
func NeededRelaxations(spec v1beta1.SizingTrialSpec) float64 {
	if spec.Role == v1beta1.RoleDecision && !spec.StopsEarly() {
		return neededForDecision
	}
	return SteadyRelaxations
}

// Relaxation returns D/(1−ρ)², in the unit of the interval D between two logins at the bound: about half
// of the time in which a queue forgets how it began. It is infinite from ρ = 1.
func Relaxation(interval, rho float64) float64 {
	if rho >= 1 {
		return math.Inf(1)
	}
	return interval / ((1 - rho) * (1 - rho))
}

// service is the login service as far as the plan depends on it.
type service struct {
	replicas int32
	// lanes is how many hashes one replica computes at a time.
	lanes int32
	// bound is the calibrated bound of all replicas, in logins per second × 1000.
	bound int64
	// interval is D: the time between two logins of one replica at its bound.
	interval time.Duration
	timeout  time.Duration
	// sessions means that only a caller's first login in a step is hashed.
	sessions bool
	// ceiling is what the generator can drive, in logins per second × 1000.
	ceiling int64
	// modelled means that the capacity follows from the model.
	modelled bool
}

func newService(spec v1beta1.SizingTrialSpec, cal handover.Calibration) (service, error) {
	workers := Workers(spec.Variant)
	replicas := max(1, spec.Service.Replicas)
	bound := BoundMilliPerSecond(replicas, spec.Variant, cal)
	if bound <= 0 {
		return service{}, ErrNotCalibrated
	}
	ceiling, err := generatorCeiling(spec.Generator, cal)
	if err != nil {
		return service{}, err
	}
	lanes := cal.GoMaxProcs
	if workers > 0 {
		lanes = workers
	}
	hashes := spec.Service.Own == nil && !spec.Variant.Hash.Sessions && time.Duration(cal.HashMicroseconds)*time.Microsecond >= ShortestModelled
	return service{
		modelled: hashes && bound <= ceiling,
		replicas: replicas,
		lanes:    lanes,
		bound:    bound,
		interval: time.Duration(cal.HashMicroseconds) * time.Microsecond * milli / time.Duration(EffectiveMilliCPU(spec.Variant, cal)),
		timeout:  time.Duration(spec.Load.RequestTimeoutSeconds) * time.Second,
		sessions: spec.Variant.Hash.Sessions,
		ceiling:  ceiling,
	}, nil
}

// utilisation returns ρ: the offered share of the bound. With sessions it is 0, because
// almost nothing is hashed once every caller has logged in.
func (s service) utilisation(offeredMilli int64) float64 {
	if s.sessions {
		return 0
	}
	return float64(offeredMilli) / float64(s.bound)
}

func (s service) relaxation(offeredMilli int64) float64 {
	rho := s.utilisation(offeredMilli)
	if rho >= SteadyBelow {
		return math.Inf(1)
	}
	return Relaxation(s.interval.Seconds(), rho)
}

// settling returns how long an open step is held before it counts: a step that counts at once reports a
// p95 that is 13 % too low at ρ = 0.85. Without a steady state, it only waits for the first timeouts.
func (s service) settling(offeredMilli int64) time.Duration {
	switch {
	case s.sessions:
		return s.sessionSettling(offeredMilli)
	case s.utilisation(offeredMilli) >= SteadyBelow:
		return min(longestSettling, s.timeout)
	default:
		return atMost(longestSettling, SettlingRelaxations*s.relaxation(offeredMilli))
	}
}

// drain returns how long requests of an open step can take to end after its last one was due: after
// 8·D/(1−ρ) less than one in a thousand of the last few is cut off. An overload takes as long as callers
// wait.
func (s service) drain(offeredMilli int64) time.Duration {
	rho := s.utilisation(offeredMilli)
	if rho >= SteadyBelow {
		return s.timeout + timeoutGrace
	}
	return s.boundedDrain(8 * s.interval.Seconds() / (1 - rho))
}

func (s service) boundedDrain(seconds float64) time.Duration {
	return max(min(shortestDrain, s.timeout+timeoutGrace), atMost(s.timeout+timeoutGrace, seconds))
}

// round returns how long one replica takes to serve its share of the callers once.
func (s service) round(callers int) time.Duration {
	return time.Duration(callers) * s.interval / time.Duration(s.replicas)
}

// closedSettling is two rounds: after the second, the order of the callers is the service's own.
func (s service) closedSettling(callers int) time.Duration {
	return min(longestSettling, max(evidence.UsualPeriod, 2*s.round(callers)))
}

// atMost converts seconds, which can be infinite, to a duration of at most the limit.
func atMost(limit time.Duration, seconds float64) time.Duration {
	if seconds >= limit.Seconds() {
		return limit
	}
	return time.Duration(seconds * float64(time.Second))
}

const (
	milli           = 1000
	microsPerSecond = 1_000_000
)

// BoundMilliPerSecond returns the largest number of logins per second, times 1000, that the CPU of all
// replicas together can hash. What is unknown (a quota, a cpuset) does not limit. Without a hash time it is 0.
func BoundMilliPerSecond(replicas int32, variant v1beta1.Variant, cal handover.Calibration) int64 {
	if cal.HashMicroseconds <= 0 {
		return 0
	}
	return int64(replicas) * EffectiveMilliCPU(variant, cal) * microsPerSecond / cal.HashMicroseconds
}

// Workers returns the number of workers of the variant's service, 0 if it is unbounded.
func Workers(variant v1beta1.Variant) int32 {
	if variant.Concurrency.Mode == v1beta1.ConcurrencyUnbounded || variant.Concurrency.Workers == nil {
		return 0
	}
	return *variant.Concurrency.Workers
}

// EffectiveMilliCPU returns how much CPU one replica can use for hashing, in thousandths:
// the smallest of its limits. A worker uses as many CPUs at a time as its hash has threads.
func EffectiveMilliCPU(variant v1beta1.Variant, cal handover.Calibration) int64 {
	return calibration.MilliCPU(cal, Workers(variant)*matrix.Recipe(variant).Lanes())
}
