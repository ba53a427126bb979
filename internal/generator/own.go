package generator

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// countLogins adds to what a user's own login service used in the counted part of a step how many
// logins that was: Hashmark's service counts and times its hashes, and this one does not. A login
// that was under way at an end of the counted part counts for the share of its time that was inside.
// All CPU time of the container is taken as that of the logins.
func countLogins(used *evidence.Delta, number int, step loadplan.Step, log *Log) {
	if used == nil {
		return
	}
	from := time.Duration(step.StartMilliseconds+step.SettleMilliseconds) * time.Millisecond
	until := from + time.Duration(step.CountedMilliseconds)*time.Millisecond
	var logins float64
	for _, r := range log.Before(math.MaxInt) {
		if r.Step == number && r.Outcome == measurement.OK && r.Ended > r.Sent {
			inside := min(r.Ended, until) - max(r.Sent, from)
			logins += max(0, inside.Seconds()) / (r.Ended - r.Sent).Seconds()
		}
	}
	used.Hashes = int64(math.Round(logins))
	used.TimedHashes, used.HashMicroseconds = used.Hashes, used.CPUMicroseconds
}
