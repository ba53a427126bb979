package drift

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
)

func named(t *testing.T, name string) Schedule {
	t.Helper()
	schedule, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return schedule
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	serving := func(seconds float64, hash int64) Moment {
		return Moment{Serving: true, Since: time.Duration(seconds * float64(time.Second)), Hash: hash}
	}
	tests := map[string]struct {
		schedule string
		at       Moment
		want     float64
	}{
		"steady never changes":                     {"steady", serving(25, 300), 1},
		"a sawtooth begins in the middle":          {"sawtooth", serving(0, 0), 1},
		"a sawtooth gets slower":                   {"sawtooth", serving(10, 0), 1.075},
		"a sawtooth is up to 15 % slower":          {"sawtooth", serving(19.999, 0), 1.15},
		"then a sawtooth is fast at once":          {"sawtooth", serving(20, 0), 0.85},
		"a sawtooth starts again after a period":   {"sawtooth", serving(40, 0), 1},
		"a sawtooth does not stop":                 {"sawtooth", serving(400+30, 0), 0.925},
		"a sawtooth applies to the calibration":    {"sawtooth", Moment{Since: 10 * time.Second}, 1.075},
		"slower is steady while it calibrates":     {"slower", Moment{Since: time.Minute, Hash: 1000}, 1},
		"slower is slower from the first login on": {"slower", serving(0, 0), 1.2},
		"faster is steady while it calibrates":     {"faster", Moment{Hash: FasterFrom}, 1},
		"faster is steady before":                  {"faster", serving(1, FasterFrom-1), 1},
		"faster is faster from its first hash":     {"faster", serving(1, FasterFrom), 0.8},
		"faster is faster to its last hash":        {"faster", serving(1, FasterUntil-1), 0.8},
		"faster is steady afterwards":              {"faster", serving(1, FasterUntil), 1},
		"busy30 is steady alone":                   {"busy30", serving(1, 10), 1},
		"busy30 is slower beside another hash":     {"busy30", Moment{Shared: true}, 1.3},
		"busy10 is slower by its share":            {"busy10", Moment{Shared: true}, 1.1},
		"busy45 is, too":                           {"busy45", Moment{Shared: true}, 1.45},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := named(t, test.schedule)(test.at); math.Abs(got-test.want) > 1e-4 {
				t.Errorf("the factor is %.4f, want %.4f", got, test.want)
			}
		})
	}
}

func TestAScheduleThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := Named("sometimes"); !errors.Is(err, ErrSchedule) {
		t.Errorf("the error is %v", err)
	}
}

func TestNoScheduleAsksForLessThanTheHashItself(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"steady", "sawtooth", "slower", "faster", "busy10", "busy30", "busy45"} {
		schedule := named(t, name)
		for second := range 80 {
			m := Moment{Serving: true, Since: time.Duration(second) * time.Second, Hash: int64(10 * second)}
			if factor := baseline * schedule(m); factor <= 1 {
				t.Errorf("%s at %d s: the factor is %.3f, want above 1", name, second, factor)
			}
		}
	}
}

// The clock of these tests advances by a hash or by a chunk.
func TestAHashTakesTheTimeOfItsMoment(t *testing.T) {
	t.Parallel()
	var cpu time.Duration
	began := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	p := &Pacer{
		schedule: named(t, "sawtooth"), serving: true,
		cpu:  func() time.Duration { return cpu },
		wall: func() time.Time { return began.Add(10 * cpu) },
		burn: func() { cpu += 5 * time.Microsecond },
	}
	var took []int64
	for range 4 {
		before := cpu
		p.Run(func() { cpu += 500 * time.Millisecond })
		took = append(took, (cpu - before).Round(100*time.Microsecond).Microseconds())
	}
	// At 0, 6.5, 13.317 and 20.467 s: 10 s of wall time for each CPU second.
	want := []int64{650_000, 681_700, 714_900, 554_800}
	for i := range want {
		if math.Abs(float64(took[i]-want[i])) > 200 {
			t.Errorf("the hashes took %v µs, want %v", took, want)
			break
		}
	}
	if p.hashes != 4 {
		t.Errorf("%d hashes were counted, want 4", p.hashes)
	}
}

func TestAHashTakesLongerWhileAnotherOneRuns(t *testing.T) {
	t.Parallel()
	var cpu time.Duration
	p := &Pacer{
		schedule: named(t, "busy30"), serving: true, cpu: func() time.Duration { return cpu }, wall: time.Now,
		burn: func() { cpu += 5 * time.Microsecond },
	}
	took := func(hash func()) float64 {
		before := cpu
		p.Run(func() { cpu += 10 * time.Millisecond; hash() })
		return (cpu - before).Seconds() / (0.01 * baseline)
	}
	var beside float64
	alone := took(func() {})
	both := took(func() { beside = took(func() {}) })
	after := took(func() {})
	if math.Abs(alone-1) > 0.01 || math.Abs(beside-1.3) > 0.01 || math.Abs(after-1) > 0.01 || both < beside {
		t.Errorf("a hash took %.3f alone, %.3f beside another one, and %.3f after it, want 1, 1.3 and 1", alone, beside, after)
	}
}

// Real CPU time, as ratios of neighbouring measurements, so that the machine's own speed
// and its other work cancel out.
func TestRealCPUTimeFollowsTheSchedule(t *testing.T) {
	t.Parallel()
	pacer := func(schedule string) *Pacer {
		return &Pacer{schedule: named(t, schedule), serving: true, cpu: threadCPU, wall: time.Now, burn: burn}
	}
	work := func() {
		for range 500 {
			burn()
		}
	}
	steady, slow := pacer("steady"), pacer("slower")
	var ofSteady, ofSlow []float64
	for range 101 {
		plain := cost(work)
		ofSteady = append(ofSteady, cost(func() { steady.Run(work) })/plain)
		ofSlow = append(ofSlow, cost(func() { slow.Run(work) })/plain)
	}
	for name, test := range map[string]struct {
		ratios []float64
		want   float64
	}{"steady": {ofSteady, baseline}, "slower": {ofSlow, baseline * slower}} {
		slices.Sort(test.ratios)
		if median := test.ratios[len(test.ratios)/2]; math.Abs(median/test.want-1) > 0.06 {
			t.Errorf("%s ÷ plain is %.3f, want %.2f", name, median, test.want)
		}
	}
}

// cost is the CPU time of the calling thread that a function takes.
func cost(function func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := threadCPU()
	function()
	return float64(threadCPU() - begin)
}
