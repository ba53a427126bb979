package measurement

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A window is one character of base64url, that is one of 64 levels: 0 if no hash was timed,
// otherwise center × levelFactor^(level − middleLevel). Levels are 1.25 % apart, so a window
// is off by at most 0.63 %. They range from 0.68 to 1.47 times the center; values outside
// are clipped.
const (
	levelFactor = 1.0125
	middleLevel = 32
	lowestLevel = 1
	topLevel    = 63
	levels      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

	// Bounds of a timeline.
	longestWindow = time.Hour
	mostWindows   = 512
	longestHash   = time.Hour
)

func speedLine(t *Timeline) string {
	if t == nil {
		return ""
	}
	center := centerOf(t.HashNanoseconds)
	if center == 0 {
		return ""
	}
	text := make([]byte, len(t.HashNanoseconds))
	for i, nanoseconds := range t.HashNanoseconds {
		text[i] = levels[levelOf(nanoseconds, center)]
	}
	return fmt.Sprintf("speed %d %d %s\n", t.Window.Milliseconds(), center, text)
}

// centerOf returns the lower median of the known windows, or 0 if there are none. The lower
// median is one of the values, so it does not change when a decoded timeline is encoded
// again.
func centerOf(nanoseconds []int64) int64 {
	known := slices.DeleteFunc(slices.Clone(nanoseconds), func(v int64) bool { return v == 0 })
	if len(known) == 0 {
		return 0
	}
	return LowerMedian(known, cmp.Compare[int64])
}

func levelOf(nanoseconds, center int64) int {
	if nanoseconds == 0 {
		return 0
	}
	steps := math.Log(float64(nanoseconds)/float64(center)) / math.Log(levelFactor)
	return int(max(lowestLevel, min(topLevel, middleLevel+math.Round(steps))))
}

func nanosecondsOf(level int, center int64) int64 {
	if level == 0 {
		return 0
	}
	return max(1, int64(math.Round(float64(center)*math.Pow(levelFactor, float64(level-middleLevel)))))
}

func checkTimeline(t *Timeline) error {
	if t == nil {
		return nil
	}
	if err := checkWindows(t.Window, len(t.HashNanoseconds)); err != nil {
		return err
	}
	for _, nanoseconds := range t.HashNanoseconds {
		if nanoseconds < 0 || nanoseconds > int64(longestHash) {
			return garbled("a hash of %d ns is outside 0 to 1 h", nanoseconds)
		}
	}
	return nil
}

func checkWindows(window time.Duration, count int) error {
	if window < time.Second || window > longestWindow || window%time.Second != 0 {
		return garbled("a timeline has windows of %s instead of 1 to 3600 whole seconds", window)
	}
	if count < 1 || count > mostWindows {
		return garbled("a timeline has %d windows instead of 1 to %d", count, mostWindows)
	}
	return nil
}

// thinned returns the timeline with windows of twice the length, or nil if that is not
// possible.
func thinned(t *Timeline) *Timeline {
	if len(t.HashNanoseconds) < 2 || 2*t.Window > longestWindow {
		return nil
	}
	half := &Timeline{Window: 2 * t.Window}
	for pair := range slices.Chunk(t.HashNanoseconds, 2) {
		var sum, known int64
		for _, nanoseconds := range pair {
			if nanoseconds > 0 {
				sum += nanoseconds
				known++
			}
		}
		half.HashNanoseconds = append(half.HashNanoseconds, sum/max(1, known))
	}
	return half
}

func decodeSpeed(run *Run, text string) error {
	fields := strings.Split(text, " ")
	if len(fields) != 3 || run.Timeline != nil {
		return garbled("it has two timelines, or one that does not have three words")
	}
	milliseconds, err := wholeNumber(fields[0], longestWindow.Milliseconds())
	if err != nil {
		return err
	}
	center, err := wholeNumber(fields[1], int64(longestHash))
	if err != nil {
		return err
	}
	window := time.Duration(milliseconds) * time.Millisecond
	if err := checkWindows(window, len(fields[2])); err != nil {
		return err
	}
	timeline := &Timeline{Window: window, HashNanoseconds: make([]int64, len(fields[2]))}
	for i := range len(fields[2]) {
		level := strings.IndexByte(levels, fields[2][i])
		if level < 0 {
			return garbled("%q is not a speed level", fields[2][i])
		}
		timeline.HashNanoseconds[i] = nanosecondsOf(level, center)
	}
	if centerOf(timeline.HashNanoseconds) != center {
		return garbled("%d ns is not the median of its timeline", center)
	}
	run.Timeline = timeline
	return nil
}

func idleLine(nanoseconds int64) string {
	if nanoseconds <= 0 {
		return ""
	}
	return fmt.Sprintf("idle %d\n", min(nanoseconds, int64(longestHash)))
}

func decodeIdle(run *Run, text string) (err error) {
	if run.IdleHashNanoseconds > 0 {
		return garbled("it has two idle hash times")
	}
	run.IdleHashNanoseconds, err = wholeNumber(text, int64(longestHash))
	return err
}

func wholeNumber(text string, most int64) (int64, error) {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value < 1 || value > most || strconv.FormatInt(value, 10) != text {
		return 0, garbled("%q is not a whole number from 1 to %d", word(text, 24), most)
	}
	return value, nil
}

// Timeline is the hash time over a load, window by window: the CPU time of the hashing
// thread, averaged over the hashes of each window and over all pods of the service. It
// shows how the speed of the CPU changed.
type Timeline struct {
	// Window is the length of each window: whole seconds, at least one.
	Window time.Duration
	// HashNanoseconds is the mean CPU time of one hash in each window; 0 if no hash was
	// timed. The first window begins at the plan's zero.
	HashNanoseconds []int64
}

// MostWindows is the largest number of windows of a timeline. A longer load has longer
// windows.
const MostWindows = 360
