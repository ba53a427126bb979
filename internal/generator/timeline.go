package generator

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// longestHash is the longest mean CPU time of a hash that is accepted.
const longestHash = time.Hour

// timelineOf combines the timed hashes of all pods, from the plan's zero to the end of its
// last step. It returns nil if no hash was timed in that time.
func timelineOf(plan loadplan.Plan, pods []podSpeed) *measurement.Timeline {
	window, count := windowsOf(loadplan.Duration(plan))
	// Floats, because the sum of numbers from a pod could overflow.
	nanoseconds, hashes := make([]float64, count), make([]float64, count)
	for _, pod := range pods {
		for second := range pod.hashes {
			middle := pod.since + time.Duration(second)*time.Second + time.Second/2
			if i := int(middle / window); middle >= 0 && i < count {
				nanoseconds[i] += float64(pod.nanoseconds[second])
				hashes[i] += float64(pod.hashes[second])
			}
		}
	}
	timeline := &measurement.Timeline{Window: window, HashNanoseconds: make([]int64, count)}
	known := false
	for i := range timeline.HashNanoseconds {
		if mean := math.Round(nanoseconds[i] / max(1, hashes[i])); mean >= 1 && mean <= float64(longestHash) {
			timeline.HashNanoseconds[i] = int64(mean)
			known = true
		}
	}
	if !known {
		return nil
	}
	return timeline
}

// windowsOf returns the length of the windows of a load, in whole seconds, and their
// number.
func windowsOf(load time.Duration) (window time.Duration, count int) {
	seconds := int64((load + time.Second - 1) / time.Second)
	perWindow := max(1, (seconds+measurement.MostWindows-1)/measurement.MostWindows)
	return time.Duration(perWindow) * time.Second, int((seconds + perWindow - 1) / perWindow)
}
