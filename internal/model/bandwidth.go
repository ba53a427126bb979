package model

import "time"

// bandwidth is the state of a pod's quota. The zero value has no quota.
type bandwidth struct {
	// quota is the runtime that a refill brings; 0 means no quota.
	quota time.Duration
	// left is the runtime that is left until the next refill, which is at the moment refill.
	left, refill time.Duration
}

// newBandwidth returns a quota whose first refill is after a share of a period. The pod was
// idle before, so it begins with the whole runtime.
func newBandwidth(s Service, phase float64) bandwidth {
	if !s.binding() {
		return bandwidth{}
	}
	quota := time.Duration(s.QuotaMilliCPU) * period / 1000
	return bandwidth{quota: quota, left: quota, refill: max(1, time.Duration(phase*float64(period)))}
}

// stalled reports whether nothing can run before the next refill.
func (b *bandwidth) stalled() bool { return b.quota > 0 && b.left <= 0 }

// changes returns when so many busy lanes will have used what is left, or when it is refilled,
// whichever is first.
func (b *bandwidth) changes(now time.Duration, lanes int) time.Duration {
	if b.quota == 0 {
		return never
	}
	if b.stalled() {
		return b.refill
	}
	n := time.Duration(lanes)
	return min(b.refill, now+(b.left+n-1)/n)
}

// drain subtracts what lanes used until now, and refills if a refill is due.
func (b *bandwidth) drain(used, now time.Duration) {
	if b.quota == 0 {
		return
	}
	b.left -= used
	if now >= b.refill {
		b.left = b.quota
		b.refill += (1 + (now-b.refill)/period) * period
	}
}
