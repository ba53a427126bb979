package generator

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

func lasting(d time.Duration) loadplan.Plan {
	return loadplan.Plan{Steps: []loadplan.Step{{CountedMilliseconds: d.Milliseconds()}}}
}

func TestTimelineOf(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		load time.Duration
		pods []podSpeed
		want *measurement.Timeline
	}{
		"a second of the pod counts in the window that contains its middle": {
			load: 2500 * ms,
			pods: []podSpeed{{since: -600 * ms, nanoseconds: []int64{10, 60, 0, 40, 1}, hashes: []int64{1, 2, 0, 1, 1}}},
			want: &measurement.Timeline{Window: time.Second, HashNanoseconds: []int64{30, 0, 40}},
		},
		"a second that begins within the first half before zero belongs to the first window": {
			load: time.Second,
			pods: []podSpeed{{since: -400 * ms, nanoseconds: []int64{10, 60}, hashes: []int64{1, 2}}},
			want: &measurement.Timeline{Window: time.Second, HashNanoseconds: []int64{10}},
		},
		"pods are averaged over their hashes, not over their means": {
			load: 2 * time.Second,
			pods: []podSpeed{
				{nanoseconds: []int64{300, 100}, hashes: []int64{3, 1}},
				{since: 200 * ms, nanoseconds: []int64{500}, hashes: []int64{1}},
			},
			want: &measurement.Timeline{Window: time.Second, HashNanoseconds: []int64{200, 100}},
		},
		"a load above 360 seconds has longer windows": {
			load: 361 * time.Second,
			pods: []podSpeed{{nanoseconds: []int64{100, 200, 7}, hashes: []int64{1, 2, 1}}},
			want: &measurement.Timeline{Window: 2 * time.Second, HashNanoseconds: append([]int64{100, 7}, make([]int64, 179)...)},
		},
		"impossible hash times are unknown": {
			load: 3 * time.Second,
			pods: []podSpeed{{nanoseconds: []int64{1 << 62, 1, 5}, hashes: []int64{1, 3, 1}}},
			want: &measurement.Timeline{Window: time.Second, HashNanoseconds: []int64{0, 0, 5}},
		},
		"no timeline without a timed hash": {
			load: time.Second, pods: []podSpeed{{nanoseconds: []int64{0, 0, 9}, hashes: []int64{0, 0, 1}}},
		},
		"no timeline without pods": {load: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, timelineOf(lasting(test.load), test.pods)); diff != "" {
				t.Errorf("timeline (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheLongestLoadHasNoMoreWindowsThanFit(t *testing.T) {
	t.Parallel()
	for _, seconds := range []int{1, 359, 360, 361, 720, 721, 86_400} {
		window, count := windowsOf(time.Duration(seconds) * time.Second)
		if count > measurement.MostWindows || window*time.Duration(count) < time.Duration(seconds)*time.Second || window%time.Second != 0 {
			t.Errorf("%d s are %d windows of %s", seconds, count, window)
		}
	}
}

func TestAPodsClockIsTakenFromTheQuickestReading(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1000, 0)
	var clock podClock
	// The process began 5 s before. Each reading is taken in the middle of its round trip,
	// except a slow one, whose response took 2 s.
	reading := func(at, before, after time.Duration) {
		uptime := (5*time.Second + at).Microseconds()
		clock.observe(evidence.Reading{InstanceID: "one", UptimeMicroseconds: uptime}, begin.Add(at-before), begin.Add(at+after))
	}
	reading(time.Second, 50*time.Millisecond, 2*time.Second)
	reading(2*time.Second, time.Millisecond, time.Millisecond)
	reading(3*time.Second, 10*time.Millisecond, 2*time.Millisecond)
	if want := begin.Add(-5 * time.Second); !clock.began.Equal(want) || clock.restarted {
		t.Errorf("the process began at %s, want %s; restarted: %v", clock.began, want, clock.restarted)
	}
	clock.observe(evidence.Reading{InstanceID: "two"}, begin, begin)
	if !clock.restarted {
		t.Error("another instance does not count as a restart")
	}
}
