package evidence

import (
	"errors"
	"fmt"
)

// ErrRestarted means that two readings are not of the same process on the same kernel. The
// container was restarted or replaced between them, and its counters started again.
var ErrRestarted = errors.New("the process was restarted between two readings")

// ErrDecreased means that a counter decreased between two readings of one process. Either
// their order is wrong, or the process moved to another cgroup.
var ErrDecreased = errors.New("a counter decreased between two readings")

// ErrMoved means that the cpuset of the process changed, so the counters of its CPUs cannot
// be compared.
var ErrMoved = errors.New("the cpuset changed between two readings")

// Delta is the difference between two readings. For a service with several replicas it is
// the sum over them.
type Delta struct {
	// ElapsedMicroseconds between the readings, by the process's monotonic clock.
	ElapsedMicroseconds int64 `json:"elapsedMicroseconds"`
	// CPUMicroseconds that the process used.
	CPUMicroseconds int64 `json:"cpuMicroseconds"`
	// Periods of the quota that elapsed by the clock, 0 without a quota. The kernel's own
	// count is not used: it leaves out periods in which the cgroup was idle, which makes a
	// lightly loaded container look throttled all the time.
	Periods int64 `json:"periods"`
	// ThrottledPeriods are the periods in which the cgroup was throttled.
	ThrottledPeriods int64 `json:"throttledPeriods"`
	// ThrottledMicroseconds is how long it was throttled.
	ThrottledMicroseconds int64 `json:"throttledMicroseconds"`
	// IdleMicroseconds, StealMicroseconds and BusyMicroseconds of the CPUs of the cpuset,
	// including what other processes used.
	IdleMicroseconds  int64 `json:"idleMicroseconds"`
	StealMicroseconds int64 `json:"stealMicroseconds"`
	BusyMicroseconds  int64 `json:"busyMicroseconds"`
	// Hashes that were finished; 0 for a generator, like the next four.
	Hashes int64 `json:"hashes"`
	// TimedHashes are the hashes that were timed by the CPU clock of their thread.
	// HashMicroseconds is their CPU time.
	TimedHashes      int64 `json:"timedHashes"`
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// Refused logins: the queue was full.
	Refused int64 `json:"refused"`
	// Abandoned logins: the caller gave up before its hash began.
	Abandoned int64 `json:"abandoned"`
}

// Between returns the difference between two readings of a service's container. The error
// is ErrRestarted, ErrMoved or ErrDecreased, wrapped with the values, or says which counter grew
// impossibly fast.
func Between(before, after Service) (Delta, error) {
	delta, err := before.to(after.Reading)
	if err != nil {
		return Delta{}, err
	}
	delta.Hashes = after.Hashes - before.Hashes
	delta.TimedHashes = after.TimedHashes - before.TimedHashes
	delta.HashMicroseconds = after.HashMicroseconds - before.HashMicroseconds
	delta.Refused = after.Refused - before.Refused
	delta.Abandoned = after.Abandoned - before.Abandoned
	return delta, delta.check()
}

// Sum adds up the deltas of several containers over the same window.
func Sum(deltas ...Delta) Delta {
	var total Delta
	for _, d := range deltas {
		sums, terms := total.counters(), d.counters()
		for i := range sums {
			*sums[i].value += *terms[i].value
		}
	}
	return total
}

// to subtracts the counters after checking that both readings are of the same process and
// CPUs.
func (r Reading) to(later Reading) (Delta, error) {
	switch {
	case r.InstanceID != later.InstanceID:
		return Delta{}, fmt.Errorf("%w: instance %q became %q", ErrRestarted, r.InstanceID, later.InstanceID)
	case r.BootID != later.BootID:
		return Delta{}, fmt.Errorf("%w: boot id %q became %q", ErrRestarted, r.BootID, later.BootID)
	case r.Cpuset != later.Cpuset:
		return Delta{}, fmt.Errorf("%w: %q became %q", ErrMoved, r.Cpuset, later.Cpuset)
	}
	elapsed := later.UptimeMicroseconds - r.UptimeMicroseconds
	return Delta{
		ElapsedMicroseconds:   elapsed,
		CPUMicroseconds:       later.CPUMicroseconds - r.CPUMicroseconds,
		Periods:               periods(elapsed, later),
		ThrottledPeriods:      later.ThrottledPeriods - r.ThrottledPeriods,
		ThrottledMicroseconds: later.ThrottledMicroseconds - r.ThrottledMicroseconds,
		IdleMicroseconds:      forward(later.CPUIdleMicroseconds - r.CPUIdleMicroseconds),
		StealMicroseconds:     forward(later.CPUStealMicroseconds - r.CPUStealMicroseconds),
		BusyMicroseconds:      later.CPUBusyMicroseconds - r.CPUBusyMicroseconds,
	}, nil
}

// periods returns the number of the quota's periods in a time, rounded to the nearest.
func periods(elapsedMicroseconds int64, r Reading) int64 {
	if r.QuotaMilliCPU == 0 || r.PeriodMicroseconds <= 0 {
		return 0
	}
	return (elapsedMicroseconds + r.PeriodMicroseconds/2) / r.PeriodMicroseconds
}

// forward returns 0 for a negative difference. The kernel documents that idle time in
// /proc/stat can decrease by a tick or two (proc_stat(5), on iowait); steal time is
// corrected in the same way.
func forward(difference int64) int64 { return max(difference, 0) }

// mostCounted is more than any counter grows during a load: it is 31 years in microseconds. A
// pod can write anything, and without a limit a sum over pods could overflow.
const mostCounted = 1e15

func (d Delta) check() error {
	for _, c := range d.counters() {
		if *c.value < 0 {
			return fmt.Errorf("%w: %s by %d", ErrDecreased, c.name, -*c.value)
		}
		if *c.value > mostCounted {
			return fmt.Errorf("%s grew by %d, which is impossible", c.name, *c.value)
		}
	}
	return nil
}

type counter struct {
	name  string
	value *int64
}

// counters returns all numbers of a delta, so that none is left out of a sum or a check.
func (d *Delta) counters() []counter {
	return []counter{
		{"elapsedMicroseconds", &d.ElapsedMicroseconds},
		{"cpuMicroseconds", &d.CPUMicroseconds},
		{"periods", &d.Periods},
		{"throttledPeriods", &d.ThrottledPeriods},
		{"throttledMicroseconds", &d.ThrottledMicroseconds},
		{"idleMicroseconds", &d.IdleMicroseconds},
		{"stealMicroseconds", &d.StealMicroseconds},
		{"busyMicroseconds", &d.BusyMicroseconds},
		{"hashes", &d.Hashes},
		{"timedHashes", &d.TimedHashes},
		{"hashMicroseconds", &d.HashMicroseconds},
		{"refused", &d.Refused},
		{"abandoned", &d.Abandoned},
	}
}
