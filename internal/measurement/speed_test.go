package measurement_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// handedOver returns a run as the operator decodes it.
func handedOver(t *testing.T, run measurement.Run) measurement.Run {
	t.Helper()
	message, err := measurement.Encode(run)
	if err != nil {
		t.Fatal(err)
	}
	got, err := measurement.Decode(message)
	if err != nil {
		t.Fatalf("%v\n%s", err, message)
	}
	return got
}

func timeline(nanoseconds ...int64) measurement.Run {
	return measurement.Run{Reported: -1, Timeline: &measurement.Timeline{Window: time.Second, HashNanoseconds: nanoseconds}}
}

func TestATimelineIsGoodToTwoThirdsOfAPercent(t *testing.T) {
	for _, center := range []int64{900_000, 14_178_000, 3_600_000_000} {
		run := timeline(center, center, center)
		for share := 0.70; share < 1.46; share += 0.01 {
			run.Timeline.HashNanoseconds = append(run.Timeline.HashNanoseconds, int64(share*float64(center)), center)
		}
		for i, got := range handedOver(t, run).Timeline.HashNanoseconds {
			want := run.Timeline.HashNanoseconds[i]
			if off := float64(got)/float64(want) - 1; math.Abs(off) > 0.0063 {
				t.Errorf("%d ns was read as %d, off by %.2f %%", want, got, 100*off)
			}
		}
	}
}

func TestWindowsOfATimeline(t *testing.T) {
	for name, test := range map[string]struct{ given, want []int64 }{
		"unknown windows stay unknown":              {[]int64{0, 5_000_000, 0}, []int64{0, 5_000_000, 0}},
		"values outside all levels are clipped":     {[]int64{1, 1_000_000, 1_000_000, 9_000_000}, []int64{680_384, 1_000_000, 1_000_000, 1_469_759}},
		"the shortest time is not read as unknown":  {[]int64{1, 1, 1}, []int64{1, 1, 1}},
		"the lower median of two is kept to the ns": {[]int64{1_000_007, 1_100_000}, []int64{1_000_007, 1_104_494}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, handedOver(t, timeline(test.given...)).Timeline.HashNanoseconds); diff != "" {
				t.Errorf("windows (-want +got):\n%s", diff)
			}
		})
	}
	if got := handedOver(t, timeline(0, 0)).Timeline; got != nil {
		t.Errorf("a timeline without a timed hash was read as %v", got)
	}
}

// A decoded timeline can be encoded again without a change, so that rounding errors do not
// add up.
func TestATimelineIsRoundedOnce(t *testing.T) {
	for center := int64(1); center < 400; center++ {
		run := timeline(center)
		for k := range 31 {
			run.Timeline.HashNanoseconds = append(run.Timeline.HashNanoseconds,
				max(1, int64(float64(center)*math.Pow(1.0125, float64(-k)))), int64(float64(center)*math.Pow(1.0125, float64(k))))
		}
		once := handedOver(t, run)
		if diff := cmp.Diff(once, handedOver(t, once)); diff != "" {
			t.Errorf("around %d ns (-once +twice):\n%s", center, diff)
		}
	}
}

func TestTimelinesThatCannotBe(t *testing.T) {
	for name, damage := range map[string]func(*measurement.Timeline){
		"windows of more than an hour": func(l *measurement.Timeline) { l.Window = 3601 * time.Second },
		"no windows":                   func(l *measurement.Timeline) { l.HashNanoseconds = nil },
		"a negative hash time":         func(l *measurement.Timeline) { l.HashNanoseconds[1] = -1 },
		"a hash of more than an hour":  func(l *measurement.Timeline) { l.HashNanoseconds[1] = int64(time.Hour) + 1 },
	} {
		run := ordinary()
		damage(run.Timeline)
		if message, err := measurement.Encode(run); err == nil {
			t.Errorf("%s: no error, but\n%s", name, message)
		}
	}
}

// If there is too little room, the timeline is left out last.
func TestWhatIsLeftOutAsTheRoomShrinks(t *testing.T) {
	type left struct {
		reported, others int32 // buckets per doubling
		underWay         bool
		windows          int
		intervals, alive bool
	}
	var seen []left
	for services := 1; ; services++ {
		run := widest(12, services)
		for i := range run.Services { // on different machines, so that each needs much room
			run.Services[i].BootID = strings.Repeat(string(rune('a'+i)), 36)
		}
		message, err := measurement.Encode(run)
		if err != nil {
			break
		}
		got, err := measurement.Decode(message)
		if err != nil {
			t.Fatal(err)
		}
		now := left{0, 0, got.UnderWay != nil, 0, got.Steps[0].P50Interval != nil && got.Steps[0].P99Interval != nil, got.Steps[0].Alive != nil}
		if h := got.Steps[0].Latencies; h != nil {
			now.reported = h.BucketsPerDoubling
		}
		if h := got.Steps[1].Latencies; h != nil {
			now.others = h.BucketsPerDoubling
		}
		if got.Timeline != nil {
			now.windows = len(got.Timeline.HashNanoseconds)
			if covered := got.Timeline.Window * time.Duration(now.windows); covered < run.Timeline.Window*measurement.MostWindows {
				t.Errorf("%d windows of %s cover %s", now.windows, got.Timeline.Window, covered)
			}
		}
		if len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
	}
	want := []left{
		{256, 128, true, 360, true, true}, {256, 16, true, 360, true, true}, {256, 8, true, 360, true, true}, {256, 4, true, 360, true, true},
		{256, 0, true, 360, true, true}, {256, 0, false, 360, true, true},
		{32, 0, false, 360, true, true}, {16, 0, false, 360, true, true}, {0, 0, false, 360, true, true},
		{0, 0, false, 180, true, true}, {0, 0, false, 90, true, true}, {0, 0, false, 45, true, true}, {0, 0, false, 0, true, true},
		{0, 0, false, 0, false, true}, {0, 0, false, 45, false, false}, {0, 0, false, 0, false, false},
	}
	if diff := cmp.Diff(want, seen, cmp.AllowUnexported(left{})); diff != "" {
		t.Errorf("what is left as pods are added (-want +got):\n%s", diff)
	}
}

func TestTheMeanTimeOfAHashIsKept(t *testing.T) {
	for _, microseconds := range []int64{0, 1, 999, 32_767, 32_769, 5_723_457, 1_152_921_504_606, 1 << 50} {
		run := ordinary()
		run.Steps[0].Service.HashMicroseconds = microseconds
		got := handedOver(t, run).Steps[0].Service.HashMicroseconds
		if off := math.Abs(float64(got - microseconds)); off > 0.00004*float64(microseconds) {
			t.Errorf("%d µs was read as %d", microseconds, got)
		}
	}
}
