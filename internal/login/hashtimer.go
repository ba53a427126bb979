package login

import (
	"runtime"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

const (
	// mostTimed is how many hashes are timed at a time. Each of them occupies a thread, and
	// Unbounded has as many goroutines as there are callers.
	mostTimed = 64
	// mostSeconds is how many seconds of uptime are kept: a day, the maximum length of a
	// trial, plus an hour. They take 1.4 MB.
	mostSeconds = 25 * 60 * 60
)

// hashTimer measures the CPU time of hashes, in total and for each second of uptime. The
// CPU time of the hashing thread shows only the speed of the CPU. It does not include the
// wait for the CPU, the wake-up from idle, and the reply that another goroutine writes.
type hashTimer struct {
	// cpu is the CPU clock of the calling thread. If it is nil, no hash is timed.
	cpu func() (time.Duration, error)
	// uptime is the clock that assigns hashes to seconds.
	uptime func() time.Duration
	// places limits the number of hashes that are being timed.
	places chan struct{}

	mutex   sync.Mutex
	total   timed
	seconds []timed
}

// timed is the number and the CPU time of some hashes.
type timed struct{ hashes, nanoseconds int64 }

func (t *timed) add(cpu time.Duration) {
	t.hashes++
	t.nanoseconds += cpu.Nanoseconds()
}

func newHashTimer(cpu func() (time.Duration, error), uptime func() time.Duration) *hashTimer {
	return &hashTimer{cpu: cpu, uptime: uptime, places: make(chan struct{}, mostTimed)}
}

// time runs a hash, and records its CPU time. The hash runs untimed if mostTimed hashes are
// being timed already, or if the clock can't be read.
func (t *hashTimer) time(hash func()) {
	if t.cpu == nil {
		hash()
		return
	}
	select {
	case t.places <- struct{}{}:
		defer func() { <-t.places }()
	default:
		hash()
		return
	}
	// The clock is the thread's, so the goroutine must not change threads.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := t.uptime()
	before, failedBefore := t.cpu()
	hash()
	after, failedAfter := t.cpu()
	if failedBefore != nil || failedAfter != nil {
		return
	}
	t.book((begin+t.uptime())/2, after-before)
}

func (t *hashTimer) book(midpoint, cpu time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.total.add(cpu)
	second := int(midpoint / time.Second)
	if second < 0 || second >= mostSeconds {
		return
	}
	for len(t.seconds) <= second {
		t.seconds = append(t.seconds, timed{})
	}
	t.seconds[second].add(cpu)
}

func (t *hashTimer) sum() timed {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.total
}

func (t *hashTimer) speed(from int64) evidence.Speed {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	begin := min(from, int64(len(t.seconds)))
	end := min(begin+evidence.MostSpeedSeconds, int64(len(t.seconds)))
	answer := evidence.Speed{From: from, Nanoseconds: make([]int64, end-begin), Hashes: make([]int64, end-begin)}
	for i, second := range t.seconds[begin:end] {
		answer.Nanoseconds[i], answer.Hashes[i] = second.nanoseconds, second.hashes
	}
	return answer
}
