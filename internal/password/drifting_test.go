//go:build drift

package password

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/test/drift"
)

// The two are measured alternately, so that the machine's own speed cancels out.
func TestEveryStoredHashFollowsTheSchedule(t *testing.T) {
	t.Setenv(drift.Variable, "slower")
	recipe := Recipe{Algorithm: Bcrypt, Cost: 6}
	plain, err := matcher(recipe, []byte(right))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := Store(recipe, right)
	if err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	for range 51 {
		ratios = append(ratios, cost(t, func() bool { return stored.Matches(right) })/cost(t, func() bool { return plain([]byte(right)) }))
	}
	slices.Sort(ratios)
	// 1.3 is the baseline of every test service, and 1.2 the factor of this schedule.
	if median := ratios[len(ratios)/2]; math.Abs(median/(1.3*1.2)-1) > 0.06 {
		t.Errorf("with the schedule a hash takes %.3f times the CPU, want 1.56", median)
	}
	if stored.Matches(wrong) {
		t.Error("another password matches")
	}
}

// cost is the CPU time of a hash on its thread.
func cost(t *testing.T, hash func() bool) float64 {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	read := func() time.Duration {
		used, err := cgroup.ThreadCPUTime()
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	begin := read()
	if !hash() {
		t.Fatal("the password does not match")
	}
	return float64(read() - begin)
}
