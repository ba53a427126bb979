package model

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

const (
	period = evidence.UsualPeriod
	// pollEvery is how often the Go runtime (sysmon) checks for goroutines that have run
	// long, while there is work. It notes a goroutine at one check and preempts it at the
	// next if that is forcePreemptNS, 10 ms, later. So a turn lasts 10 to 20 ms, and 20 ms if
	// it begins with the preemption of another. This was measured with two goroutines that
	// never stop.
	pollEvery = 10 * time.Millisecond
	// never is later than any moment.
	never = time.Duration(math.MaxInt64)
	// Failed is the latency of a failed login, longer than any other.
	Failed = time.Duration(math.MaxInt64)
)

// Service is a login service in the simulation.
type Service struct {
	// Replicas is the number of pods behind one address. Each login goes to one of them at
	// random, or to the next one if InTurn is set. 0 counts as 1.
	Replicas int32
	InTurn   bool
	// Lanes is how many hashes one pod computes at a time: the minimum of its workers,
	// GOMAXPROCS and the CPUs of its cpuset. 0 counts as 1.
	Lanes int32
	// Pooled reports that logins start first come, first served.
	Pooled bool
	// Workers is how many started logins a pool has at a time. More workers than lanes take
	// turns. Fewer workers than lanes count as many as lanes.
	Workers int32
	// QueueLength is how many logins can wait in a pool, in addition to started ones; 0
	// means no limit.
	QueueLength int32
	// QuotaMilliCPU is the CPU quota of one pod, in thousandths; 0 means no quota.
	QuotaMilliCPU int64
	// Hash is the CPU time of one login. A login that finds its pod idle takes Wake in addition.
	Hash, Wake time.Duration
	// Wait is how long a login waits, in addition, for something other than this service's CPU. Meanwhile the
	// service works for others.
	Wait time.Duration
	// Timeout is when callers give up; 0 means never.
	Timeout time.Duration
	// Course is how the CPU time of a login changes over the run; nil if it does not.
	Course *Course
}

// MaxPerSecond returns how many logins per second all replicas can hash. No rate above it can
// be served for long. It is 0 if Hash is 0.
func (s Service) MaxPerSecond() float64 {
	if s.Hash <= 0 {
		return 0
	}
	s = s.withDefaults()
	return float64(s.Replicas) * s.cpus() / s.Hash.Seconds()
}

func (s Service) withDefaults() Service {
	s.Replicas, s.Lanes = max(1, s.Replicas), max(1, s.Lanes)
	s.Workers = max(s.Workers, s.Lanes)
	return s
}

func (s Service) cpus() float64 {
	if s.QuotaMilliCPU <= 0 {
		return float64(s.Lanes)
	}
	return min(float64(s.Lanes), float64(s.QuotaMilliCPU)/1000)
}

// binding reports whether the quota ever stalls the pod.
func (s Service) binding() bool {
	return s.QuotaMilliCPU > 0 && s.QuotaMilliCPU < int64(s.Lanes)*1000
}

// Course is how the speed of the CPU changes over a run. A login that is hashed while the
// factor is 1.1 takes 1.1 times Service.Hash.
type Course struct {
	// Every is how long each factor applies, above 0.
	Every time.Duration
	// Begun is for how long the first factor has applied when the run begins.
	Begun time.Duration
	// Factors apply one after another, each above 0. The last one applies to the end.
	Factors []float64
}

func (c *Course) scaled(by func(time.Duration) time.Duration) *Course {
	if c == nil {
		return nil
	}
	return &Course{Every: by(c.Every), Begun: by(c.Begun), Factors: c.Factors}
}

// at returns the factor at a moment, and when the next one begins.
func (c *Course) at(now time.Duration) (factor float64, until time.Duration) {
	if c == nil || len(c.Factors) == 0 {
		return 1, never
	}
	place := int((now + c.Begun) / c.Every)
	if place >= len(c.Factors)-1 {
		return c.Factors[len(c.Factors)-1], never
	}
	return c.Factors[place], time.Duration(place+1)*c.Every - c.Begun
}

// stretched returns how long a hash takes that needs so much CPU time at factor 1.
func stretched(left time.Duration, factor float64) time.Duration {
	if factor == 1 {
		return left
	}
	return time.Duration(math.Ceil(float64(left) * factor))
}

// progress returns how much of a hash is done in a time. It rounds up, like stretched, so that
// a hash always ends at the moment that stretched returns.
func progress(used time.Duration, factor float64) time.Duration {
	if factor == 1 {
		return used
	}
	return time.Duration(math.Ceil(float64(used) / factor))
}
