package loadplan

import (
	"errors"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ErrNotCalibrated means that the calibration names no hash time or no CPU, so
// that no rate can be planned from it.
var ErrNotCalibrated = errors.New("the calibration names no hash time or no GOMAXPROCS")

const (
	// longestSettling bounds what a step may spend before it counts.
	longestSettling = 30 * time.Second
	// quotaPeriod is the kernel's usual CFS period.
	quotaPeriod = 100 * time.Millisecond
	// steadyBelow is the utilisation up to which a queue has a steady state that
	// can be reached in time. Above it the step is an overload.
	steadyBelow = 0.98
	// shortestDrain leaves room for the stalls of a quota and for the network.
	shortestDrain = time.Second
	// timeoutGrace lets a caller that times out say so before it is cut off.
	timeoutGrace = 500 * time.Millisecond
)

// service is what the plan needs to know of the login service.
type service struct {
	replicas int32
	// lanes is how many hashes one replica computes at a time.
	lanes int32
	// pooled means that a login is hashed from beginning to end once it is begun;
	// otherwise all that are under way share the lanes.
	pooled bool
	// bound is the calibrated bound of all replicas, in logins per second × 1000.
	bound int64
	// interval is D: the time between two logins of one replica at its bound.
	interval time.Duration
	timeout  time.Duration
	// sessions means that only a caller's first login in a step is hashed.
	sessions bool
	// ceiling is what the generator can drive, in logins per second × 1000.
	ceiling int64
}

func newService(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration) (service, error) {
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
	return service{
		replicas: replicas,
		lanes:    lanes,
		pooled:   workers > 0,
		bound:    bound,
		interval: time.Duration(cal.HashMicroseconds) * time.Microsecond * milli / time.Duration(EffectiveMilliCPU(spec.Variant, cal)),
		timeout:  time.Duration(spec.Load.RequestTimeoutSeconds) * time.Second,
		sessions: spec.Variant.Sessions,
		ceiling:  ceiling,
	}, nil
}

// utilisation is ρ: the offered share of the bound. Sessions leave next to
// nothing to hash once every caller has logged in.
func (s service) utilisation(offeredMilli int64) float64 {
	if s.sessions {
		return 0
	}
	return float64(offeredMilli) / float64(s.bound)
}

// relaxation is D/(1−ρ)², in seconds: about half of the relaxation time of M/D/1, in
// which a queue forgets how it began, and which is near 2D/(1−ρ)². Without a steady
// state it is infinite.
func (s service) relaxation(offeredMilli int64) float64 {
	rho := s.utilisation(offeredMilli)
	if rho >= steadyBelow {
		return math.Inf(1)
	}
	return s.interval.Seconds() / ((1 - rho) * (1 - rho))
}

// settling is how long an open step is held before it counts: five times
// D/(1−ρ)², some two and a half relaxation times of its queue. A step that starts
// empty and counts at once reports a p95 that is 13 % too low at ρ = 0.85 and 41 %
// at 0.95. Without a steady state there is nothing to wait for but the first
// timeouts.
func (s service) settling(offeredMilli int64) time.Duration {
	switch {
	case s.sessions:
		return s.sessionSettling(offeredMilli)
	case s.utilisation(offeredMilli) >= steadyBelow:
		return min(longestSettling, s.timeout)
	default:
		return atMost(longestSettling, 5*s.relaxation(offeredMilli))
	}
}

// drain is how long requests of an open step may take to end after its last
// one was due. The wait of a queue falls off as exp(−2(1−ρ)x/D), that of a
// shared processor no slower than exp(−(1−ρ)x/D), so that after 8·D/(1−ρ) what
// is cut off is less than one in a thousand of the last few. An overload may
// take as long as callers are ready to wait.
func (s service) drain(offeredMilli int64) time.Duration {
	rho := s.utilisation(offeredMilli)
	if rho >= steadyBelow {
		return s.timeout + timeoutGrace
	}
	return s.boundedDrain(8 * s.interval.Seconds() / (1 - rho))
}

// boundedDrain never waits longer than callers do.
func (s service) boundedDrain(seconds float64) time.Duration {
	return max(min(shortestDrain, s.timeout+timeoutGrace), atMost(s.timeout+timeoutGrace, seconds))
}

// round is how long one replica takes to serve its share of the callers once.
func (s service) round(callers int) time.Duration {
	return time.Duration(callers) * s.interval / time.Duration(s.replicas)
}

// closedSettling is two rounds: after the first every caller has been served
// once, after the second the order in which they come is the service's own.
func (s service) closedSettling(callers int) time.Duration {
	return min(longestSettling, max(quotaPeriod, 2*s.round(callers)))
}

// atMost turns seconds into a duration that can't pass a limit, however large
// or infinite the seconds are.
func atMost(limit time.Duration, seconds float64) time.Duration {
	if seconds >= limit.Seconds() {
		return limit
	}
	return time.Duration(seconds * float64(time.Second))
}
