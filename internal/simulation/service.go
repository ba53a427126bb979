package simulation

import (
	"math"
	"time"
)

const (
	// period is the kernel's usual CFS period.
	period = 100 * time.Millisecond
	// pollEvery is how often the Go runtime looks for goroutines that have run long
	// (sysmon), while there is work. It notes a goroutine at one look and preempts
	// it at the next, when that is forcePreemptNS, 10 ms, later: a turn lasts 10 to
	// 20 ms, and 20 where it begins with another's preemption. Measured so, with two
	// goroutines that never stop.
	pollEvery = 10 * time.Millisecond
	// never is later than everything.
	never = time.Duration(math.MaxInt64)
	// Failed stands for the latency of a login that failed: longer than any other.
	Failed = time.Duration(math.MaxInt64)
)

// Service is a login service as the model sees it.
type Service struct {
	// Replicas is how many pods are behind one address; each login goes to one of
	// them by chance. 0 counts as 1.
	Replicas int32
	// Lanes is how many hashes one pod computes at a time: the least of its
	// workers, GOMAXPROCS and the CPUs of its cpuset. 0 counts as 1.
	Lanes int32
	// Pooled tells that logins are begun first come, first served.
	Pooled bool
	// Workers is how many logins a pool has begun at a time. Those beyond the lanes
	// share them by turns. Fewer than lanes count as lanes.
	Workers int32
	// QueueLength is how many logins may wait in a pool, beside those that are
	// begun; 0 is without bound.
	QueueLength int32
	// QuotaMilliCPU is the CPU quota of one pod, in thousandths; 0 is none.
	QuotaMilliCPU int64
	// Hash is the CPU time of one login.
	Hash time.Duration
	// Timeout is when callers give up; 0 is never.
	Timeout time.Duration
	// Course is how the CPU time of a login changes over the run; nil where it does
	// not.
	Course *Course
}

// MaxPerSecond is how many logins per second all replicas can hash: nothing
// passes it for long. It is 0 where a hash takes no time.
func (s Service) MaxPerSecond() float64 {
	if s.Hash <= 0 {
		return 0
	}
	s = s.whole()
	return float64(s.Replicas) * s.cpus() / s.Hash.Seconds()
}

// whole fills in what counts as something else.
func (s Service) whole() Service {
	s.Replicas, s.Lanes = max(1, s.Replicas), max(1, s.Lanes)
	s.Workers = max(s.Workers, s.Lanes)
	return s
}

// cpus is how much CPU one pod can use.
func (s Service) cpus() float64 {
	if s.QuotaMilliCPU <= 0 {
		return float64(s.Lanes)
	}
	return min(float64(s.Lanes), float64(s.QuotaMilliCPU)/1000)
}

// binding tells whether the quota ever stalls the pod.
func (s Service) binding() bool {
	return s.QuotaMilliCPU > 0 && s.QuotaMilliCPU < int64(s.Lanes)*1000
}
