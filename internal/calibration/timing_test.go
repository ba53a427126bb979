package calibration

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// machine is a computer whose hashes take exactly 34 µs + 55.25 µs × 2^cost of CPU time,
// and longer by the clock if its share of the CPU is less than one.
type machine struct {
	cpu, wall time.Duration
	share     float64
	hashes    map[int32]int
}

func (m *machine) prepare(cost int32) (func() error, error) {
	hash := func() error {
		took := time.Duration(34_000 + 55_250*math.Exp2(float64(cost)))
		m.cpu += took
		m.wall += time.Duration(float64(took) / m.share)
		m.hashes[cost]++
		return nil
	}
	return hash, hash()
}

func calibrator(share float64) (*machine, Calibrator) {
	m := &machine{share: share, hashes: make(map[int32]int)}
	return m, Calibrator{
		Meter: Meter{
			CPU:  func() (time.Duration, error) { return m.cpu, nil },
			Wall: func() time.Duration { return m.wall },
		},
		Limits:        Standard,
		Prepare:       m.prepare,
		ReferenceCost: 8,
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		share     float64
		cost      int32
		timed     int32
		samples   int32 // at least
		longest   time.Duration
		tolerance float64
	}{
		"a quick cost is timed for three seconds": {
			share: 1, cost: 4, timed: 4, samples: 3000, longest: 8 * time.Second,
		},
		"the reference cost is timed once, as both": {
			share: 1, cost: 8, timed: 8, samples: 200, longest: 4 * time.Second,
		},
		"a slow cost is timed for ten hashes": {
			share: 1, cost: 13, timed: 13, samples: 10, longest: 9 * time.Second,
		},
		"a quota stretches the clock, not the CPU time": {
			share: 0.25, cost: 10, timed: 10, samples: 10, longest: 10 * time.Second,
		},
		"a cost too slow for a minute is scaled from the highest that is not": {
			share: 0.25, cost: 16, timed: 14, samples: 10, longest: 65 * time.Second, tolerance: 0.001,
		},
		"under the smallest quota the cost above the reference is timed": {
			share: 0.01, cost: 16, timed: 9, samples: 10, longest: 75 * time.Second, tolerance: 0.001,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, c := calibrator(test.share)
			got, err := c.Run(test.cost)
			if err != nil {
				t.Fatal(err)
			}
			if got.Cost != test.cost || got.TimedCost != test.timed {
				t.Errorf("cost %d was timed at %d, want %d", got.Cost, got.TimedCost, test.timed)
			}
			if got.CPU.Samples < test.samples || len(got.Samples) != int(got.CPU.Samples) {
				t.Errorf("%d samples, %d kept, want at least %d", got.CPU.Samples, len(got.Samples), test.samples)
			}
			if m.wall > test.longest {
				t.Errorf("it took %s, want at most %s", m.wall, test.longest)
			}
			if got.Length < 3*time.Second || got.Length > m.wall {
				t.Errorf("hashes were timed for %s of %s", got.Length, m.wall)
			}
			want := 34e-6 + 55.25e-6*math.Exp2(float64(test.cost))
			near(t, "CPU time", got.CPU.Mean, want, test.tolerance)
			near(t, "median", got.CPU.Median, want, test.tolerance)
			near(t, "wall time", got.Wall.Mean, want/test.share, test.tolerance)
			near(t, "reference", got.Reference.Mean, reference, 0)
			near(t, "ratio", got.Ratio.Mean, want/reference, test.tolerance)
			for _, block := range got.Blocks {
				near(t, "reference block", block, reference, 0)
			}
			if len(got.Blocks) < 5 || test.cost == 8 && got.Ratio != itself {
				t.Errorf("%d blocks, ratio %+v", len(got.Blocks), got.Ratio)
			}
		})
	}
}

const reference = 34e-6 + 55.25e-6*256

func TestABlockIsShortUnderEveryQuota(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]int{
		1:    2, // of 14.2 ms each
		0.25: 2, // 56.7 ms each by the clock
		0.1:  1,
		0.01: 1,
	} {
		_, c := calibrator(share)
		watch, err := c.start(c.bcrypt(8), unlimited)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := watch.block(); err != nil {
			t.Fatal(err)
		}
		if got := len(watch.samples); got != want {
			t.Errorf("with %.2f of a CPU a block has %d hashes, want %d", share, got, want)
		}
	}
}

func TestATurnInWhichTheSpeedJumpedIsLeftOut(t *testing.T) {
	t.Parallel()
	even, jump := comparison{subject: 4, before: 2, after: 2}, comparison{subject: 5, before: 2, after: 2.5}
	for name, test := range map[string]struct {
		compared []comparison
		want     float64
	}{
		"one of four":  {[]comparison{even, jump, even, even}, 2},
		"but not most": {[]comparison{jump, jump, jump, even}, (3*5/2.25 + 2) / 4},
		"and not all":  {[]comparison{jump}, 5 / 2.25},
	} {
		near(t, name, ratioOf(test.compared).Mean, test.want, 0)
	}
}

func TestWarmUpIsNotSampled(t *testing.T) {
	t.Parallel()
	m, c := calibrator(1)
	got, err := c.Run(4)
	if err != nil {
		t.Fatal(err)
	}
	warm := float64(m.hashes[4] - len(got.Samples))
	if spent := warm * got.CPU.Mean; spent < 0.5 || spent > 0.51 {
		t.Errorf("warmed up for %.3f s, want half a second", spent)
	}
}

func TestLimitHoldsAgainstAMachineThatSlowsDown(t *testing.T) {
	t.Parallel()
	m, c := calibrator(1)
	healthy := c.Prepare
	c.Prepare = func(cost int32) (func() error, error) {
		if cost != c.ReferenceCost {
			m.share = 0.001
		}
		return healthy(cost)
	}
	got, err := c.Run(12)
	if err != nil {
		t.Fatal(err)
	}
	// One hash takes 226 s by the clock now: only the two that a spread needs are timed.
	if got.CPU.Samples != 2 {
		t.Errorf("%d samples, want 2", got.CPU.Samples)
	}
}

func TestErrorsAreHandedOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]func(*Calibrator){
		"of preparing": func(c *Calibrator) {
			c.Prepare = func(int32) (func() error, error) { return nil, broken }
		},
		"of hashing": func(c *Calibrator) {
			c.Prepare = func(int32) (func() error, error) { return func() error { return broken }, nil }
		},
		"of the meter": func(c *Calibrator) {
			c.Meter.CPU = func() (time.Duration, error) { return 0, broken }
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, c := calibrator(1)
			spoil(&c)
			if _, err := c.Run(10); !errors.Is(err, broken) {
				t.Errorf("error %v, want %v", err, broken)
			}
		})
	}
}

// near compares seconds, within a microsecond plus a share of the wanted value.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6+want*tolerance {
		t.Errorf("%s is %.6f s, want %.6f s", what, got, want)
	}
}

// quick returns a hash of another algorithm that takes this long on the machine.
func (m *machine) quick(took time.Duration) Hash {
	hash := func() error {
		m.cpu += took
		m.wall += time.Duration(float64(took) / m.share)
		m.hashes[0]++
		return nil
	}
	return Hash{
		Recipe:  "SHA256",
		CPU:     func() (time.Duration, error) { return m.cpu, nil },
		Prepare: func() (func() error, error) { return hash, hash() },
	}
}

func TestRunOther(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		share   float64
		took    time.Duration
		samples int32 // at least
		longest time.Duration
	}{
		"a quick hash is timed for three seconds":  {share: 1, took: 5 * time.Millisecond, samples: 600, longest: 8 * time.Second},
		"a slow hash is timed for ten hashes":      {share: 1, took: time.Second, samples: 10, longest: 15 * time.Second},
		"a slower one for as many as fit a minute": {share: 0.25, took: 4 * time.Second, samples: 4, longest: 85 * time.Second},
		"the slowest is timed twice":               {share: 1, took: 29 * time.Second, samples: 2, longest: 125 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, c := calibrator(test.share)
			got, err := c.RunOther(m.quick(test.took))
			if err != nil {
				t.Fatal(err)
			}
			if got.Cost != 0 || got.TimedCost != 0 || got.Recipe != "SHA256" {
				t.Errorf("it was timed as cost %d at cost %d, %q", got.Cost, got.TimedCost, got.Recipe)
			}
			if got.CPU.Samples < test.samples {
				t.Errorf("%d samples, want at least %d", got.CPU.Samples, test.samples)
			}
			if m.wall > test.longest {
				t.Errorf("it took %s, want at most %s", m.wall, test.longest)
			}
			near(t, "CPU time", got.CPU.Mean, test.took.Seconds(), 0)
			near(t, "wall time", got.Wall.Mean, test.took.Seconds()/test.share, 0)
			near(t, "reference", got.Reference.Mean, reference, 0)
			near(t, "ratio", got.Ratio.Mean, test.took.Seconds()/reference, 1e-6)
		})
	}
}

func TestAHashTooSlowToBeTimedTwiceIsRefused(t *testing.T) {
	t.Parallel()
	m, c := calibrator(1)
	if _, err := c.RunOther(m.quick(31 * time.Second)); !errors.Is(err, ErrTooSlow) {
		t.Errorf("error %v, want %v", err, ErrTooSlow)
	}
	if m.hashes[0] != 1 {
		t.Errorf("%d hashes of half a minute were computed, want only the first", m.hashes[0])
	}
}

// A clock with a resolution of 10 µs would time a hash of 0.3 µs as 0 or 10 µs.
func TestTheClocksResolutionDoesNotDecide(t *testing.T) {
	t.Parallel()
	const took, resolution = 300 * time.Nanosecond, 10 * time.Microsecond
	m, c := calibrator(0.25)
	other := m.quick(took)
	other.CPU = func() (time.Duration, error) { return m.cpu.Truncate(resolution), nil }
	got, err := c.RunOther(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range got.Samples {
		if sample.CPU < took-took/50 || sample.CPU > took+took/50 {
			t.Fatalf("a sample is %s of CPU time, want %s within 2 %%", sample.CPU, took)
		}
	}
	result := NewResult(got, handover.Surroundings{})
	if result.HashMicroseconds != 1 || result.MedianMicroseconds != 1 || result.Recipe != "SHA256" {
		t.Errorf("reported as %+v, want 1 µs: 0 would mean a hash that was never timed", result)
	}
}
