package measurement

import (
	"cmp"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// Probe is one liveness probe of a pod.
type Probe struct {
	// Sent is when it was sent, relative to the plan's zero.
	Sent time.Duration
	// Took is the time to the response.
	Took time.Duration
	// OK means that the response was a success and in time.
	OK bool
}

// AliveIn summarises the probes of each pod that were sent from one moment until before another.
// It returns nil without a probe.
func AliveIn(pods [][]Probe, from, until time.Duration) *handover.Alive {
	alive := &handover.Alive{}
	var all latencies
	for _, pod := range pods {
		sent := slices.DeleteFunc(slices.Clone(pod), func(p Probe) bool { return p.Sent < from || p.Sent >= until })
		slices.SortFunc(sent, func(a, b Probe) int { return cmp.Compare(a.Sent, b.Sent) })
		all.scheduled += len(sent)
		var inARow int64
		for _, p := range sent {
			if p.OK {
				all.successes, inARow = append(all.successes, p.Took.Microseconds()), 0
				continue
			}
			inARow++
			alive.FailedInARow = max(alive.FailedInARow, inARow)
		}
	}
	if all.scheduled == 0 {
		return nil
	}
	slices.Sort(all.successes)
	alive.Probes, alive.Failed = int64(all.scheduled), int64(all.scheduled-len(all.successes))
	alive.P95Microseconds = all.atRank(nearestRank(950, all.scheduled))
	return alive
}
