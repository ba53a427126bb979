package model

import "time"

// How Linux hands out a quota (CFS bandwidth control; kernel/sched/fair.c since 5.4).
const (
	// slice is the runtime that a CPU takes from the quota at a time: sched_cfs_bandwidth_slice_us.
	slice = 5 * time.Millisecond
	// kept is how much of a slice stays with a CPU that becomes idle: min_cfs_rq_runtime.
	kept = time.Millisecond
	// tick is how often a CPU that is busy takes a slice or is stopped: 1 ÷ CONFIG_HZ, which is
	// 250 in most distributions.
	tick = 4 * time.Millisecond
)

// bandwidth is the state of a pod's quota. The zero value has no quota.
type bandwidth struct {
	// quota is the runtime that a refill brings; 0 means no quota.
	quota time.Duration
	// pool is what no lane has taken since the last refill. The next one is at the moment refill.
	pool, refill time.Duration
	// local is what the lanes have taken and not used. Below 0 it is a debt: a busy lane is stopped
	// only at a tick.
	local time.Duration
	// busy is how many lanes run, or would run if the quota did not stall them.
	busy time.Duration
	// stalled means that nothing can run before the next refill.
	stalled bool
}

// newBandwidth returns a quota whose first refill is after a share of a period. The pod was
// idle before, so it begins with the whole runtime.
func newBandwidth(s Service, phase float64) bandwidth {
	if !s.binding() {
		return bandwidth{}
	}
	quota := time.Duration(s.QuotaMilliCPU) * period / 1000
	return bandwidth{quota: quota, pool: quota, local: kept, refill: max(1, time.Duration(phase*float64(period)))}
}

// changes returns when the busy lanes are stopped, or when the quota is refilled, whichever is first.
func (b *bandwidth) changes(now time.Duration) time.Duration {
	if b.quota == 0 {
		return never
	}
	if b.stalled || b.busy == 0 {
		return b.refill
	}
	used := now + max(0, b.local+b.pool+b.busy-1)/b.busy
	stop := (used + tick - 1) / tick * tick
	if stop <= now {
		stop += tick
	}
	return min(b.refill, stop)
}

// occupy sets how many lanes run from now on.
func (b *bandwidth) occupy(lanes int) {
	if b.quota == 0 {
		return
	}
	was := b.busy
	b.busy = time.Duration(lanes)
	switch {
	case lanes > 0 && was == 0:
		b.take()
	case lanes == 0 && was > 0:
		b.take()
		if over := b.local - kept; over > 0 {
			b.local, b.pool = kept, b.pool+over
		}
	}
}

// take moves runtime from the pool to the lanes if they have used theirs. If the pool is empty, the lanes are stalled.
func (b *bandwidth) take() {
	if b.local > 0 {
		return
	}
	taken := min(b.pool, max(1, b.busy)*slice-b.local)
	b.local, b.pool = b.local+taken, b.pool-taken
	b.stalled = b.local <= 0
}

// advance lets the busy lanes use runtime from now until a moment, and refills if a refill is due. Nothing
// may change before that moment.
func (b *bandwidth) advance(now, until time.Duration) {
	if b.quota == 0 {
		return
	}
	if !b.stalled && b.busy > 0 {
		for at := (now/tick + 1) * tick; at <= until; at += tick {
			b.local -= b.busy * (at - now)
			now = at
			b.take()
		}
		b.local -= b.busy * (until - now)
	}
	for until >= b.refill {
		b.refill += period
		b.pool = b.quota
		if b.stalled {
			b.take()
		}
		if idle := until - b.refill; !b.stalled && idle > 0 {
			b.refill += idle / period * period
		}
	}
}
