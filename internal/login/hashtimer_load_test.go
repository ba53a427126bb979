package login

import (
	"context"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/password"
)

// referencePool is a pool that, after each login's hash, times a hash itself, on the same
// thread and so a few milliseconds later on the same CPU. Both run at the same speed,
// whatever the machine does, so that their ratio shows what the load adds to the service's
// own times.
type referencePool struct {
	*Pool
	timer     func() *hashTimer
	reference func() bool
	ratios    []float64
}

func (b *referencePool) Do(ctx context.Context, hash func()) error {
	return b.Pool.Do(ctx, func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		before := b.timer().sum().nanoseconds
		hash()
		own := b.timer().sum().nanoseconds - before
		begin, beginErr := cgroup.ThreadCPUTime()
		b.reference()
		end, endErr := cgroup.ThreadCPUTime()
		if beginErr == nil && endErr == nil {
			b.ratios = append(b.ratios, float64(own)/float64((end-begin).Nanoseconds()))
		}
	})
}

// take returns the ratios since the last call.
func (b *referencePool) take() []float64 {
	taken := b.ratios
	b.ratios = nil
	return taken
}

// TestTheLoadDoesNotChangeTheTimeOfAHash compares half load, where the thread sleeps before
// each hash, with saturation, where it never does. Short periods of both alternate. Each
// hash is compared with one right after it, and each period with the next, so that the CPU's
// speed does not matter. What other processes add to the scatter is allowed for by three standard
// errors.
func TestTheLoadDoesNotChangeTheTimeOfAHash(t *testing.T) {
	recipe := password.Recipe{Algorithm: password.Bcrypt, Cost: 6}
	account, err := NewAccount(testUser, testPassword, recipe)
	if err != nil {
		t.Fatal(err)
	}
	observer, err := cgroup.Observe(os.DirFS("/"))
	if err != nil {
		t.Fatal(err)
	}
	pool := &referencePool{
		Pool:      NewPool(1, 8),
		reference: func() bool { return account.Check(testUser, testPassword) },
	}
	service, err := New(Options{
		Account: account, Concurrency: pool, Observer: observer, Recipe: recipe, ThreadCPUTime: cgroup.ThreadCPUTime,
	})
	if err != nil {
		t.Fatal(err)
	}
	pool.timer = func() *hashTimer { return service.timer }
	login := func() {
		if err := service.login(t.Context(), Credentials{User: testUser, Password: testPassword}, nil); err != nil {
			t.Error(err)
		}
	}
	var ratios []float64
	for range 40 {
		for range 8 {
			begin := time.Now()
			login()
			time.Sleep(time.Since(begin)) // the idle half of half load; no condition is waited for
		}
		half := median(pool.take())
		var all sync.WaitGroup
		for range 8 {
			all.Go(login)
		}
		all.Wait()
		ratios = append(ratios, half/median(pool.take()))
	}
	mean, deviation := stat.MeanStdDev(ratios, nil)
	limit := 0.01 + 3*stat.StdErr(deviation, float64(len(ratios)))
	t.Logf("a hash at half load takes %.4f times as long as one at saturation; allowed is 1 ± %.4f", mean, limit)
	if math.Abs(mean-1) > limit {
		t.Errorf("a hash at half load takes %.4f times as long as one at saturation, want 1 within 1 %%", mean)
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
