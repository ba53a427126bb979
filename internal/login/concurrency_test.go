package login

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The tests of this file run in bubbles of synctest, so their sleeps take no real time.

func TestUnboundedHashesAllAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if err := (Unbounded{}).Do(t.Context(), func() { time.Sleep(time.Second) }); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took := time.Since(begin); took != time.Second {
			t.Errorf("50 hashes of a second at once took %s", took)
		}
	})
}

func TestACallerThatGaveUpIsNotHashedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(1, 3)
		for name, concurrency := range map[string]Concurrency{"unbounded": Unbounded{}, "pool": pool} {
			gone, leave := context.WithCancel(t.Context())
			leave()
			err := concurrency.Do(gone, func() { t.Errorf("%s: hashed for a caller that is gone", name) })
			if !errors.Is(err, ErrAbandoned) {
				t.Errorf("%s: error %v, want %v", name, err, ErrAbandoned)
			}
		}
		pool.Close()
	})
}

func TestPoolServesInOrderWithSoManyWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(2, 8)
		begin := time.Now()
		var mutex sync.Mutex
		var ends []time.Duration
		var order []int
		var all sync.WaitGroup
		for caller := range 6 {
			all.Go(func() {
				err := pool.Do(t.Context(), func() {
					mutex.Lock()
					order = append(order, caller)
					mutex.Unlock()
					time.Sleep(time.Second)
				})
				if err != nil {
					t.Error(err)
				}
				mutex.Lock()
				defer mutex.Unlock()
				ends = append(ends, time.Since(begin))
			})
			synctest.Wait()
		}
		if got := pool.Queued(); got != 4 {
			t.Errorf("%d wait, want 4: two of six are being hashed", got)
		}
		all.Wait()
		if !slices.IsSorted(order) {
			t.Errorf("served in the order %v, want first come, first served", order)
		}
		if last := ends[len(ends)-1].Round(100 * time.Millisecond); last != 3*time.Second {
			t.Errorf("six hashes of a second by two workers took %s, want 3s", last)
		}
		pool.Close()
	})
}

func TestPoolRefusesWhenItsQueueIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const workers, length = 2, 3
		pool := NewPool(workers, length)
		if pool.Workers() != workers || pool.QueueLength() != length {
			t.Errorf("%d workers and a queue of %d, want %d and %d", pool.Workers(), pool.QueueLength(), workers, length)
		}
		var all sync.WaitGroup
		var refused int
		for range workers + length + 4 {
			all.Go(func() {
				if err := pool.Do(t.Context(), func() { time.Sleep(time.Second) }); errors.Is(err, ErrQueueFull) {
					refused++
				} else if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		if refused != 4 {
			t.Errorf("%d were refused, want 4: two hashed, three waiting", refused)
		}
		if err := pool.Do(t.Context(), func() {}); err != nil {
			t.Errorf("refused once the queue was empty: %v", err)
		}
		pool.Close()
	})
}

func TestPoolPassesOverWhoGaveUpInTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(1, 8)
		begin := time.Now()
		hash := func() { time.Sleep(time.Second) }
		var all sync.WaitGroup
		all.Go(func() { _ = pool.Do(t.Context(), hash) })
		synctest.Wait()
		impatient, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		for range 3 {
			all.Go(func() {
				if err := pool.Do(impatient, hash); !errors.Is(err, ErrAbandoned) {
					t.Errorf("error %v, want %v", err, ErrAbandoned)
				}
			})
		}
		synctest.Wait()
		all.Go(func() {
			if err := pool.Do(t.Context(), hash); err != nil {
				t.Error(err)
			}
			if took := time.Since(begin); took != 2*time.Second {
				t.Errorf("the patient caller was answered after %s, want 2s", took)
			}
		})
		all.Wait()
		pool.Close()
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		length    int32
		perSecond float64
		want      int
	}{
		"the time to serve the queue, rounded up": {64, 8.3, 8},
		"at least a second":                       {1, 100, 1},
		"a second if the rate is unknown":         {64, 0, 1},
	}
	for name, test := range tests {
		if got := retryAfterSeconds(test.length, test.perSecond); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
