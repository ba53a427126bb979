package generator

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// mostFailed is the largest share of logins that may fail while the others are still timed.
const mostFailed = 0.05

// countLogins adds to what a user's own login service used in the counted part of a step how many
// logins that was: Hashmark's service counts and times its hashes, and this one does not. A login
// that was under way at an end of the counted part counts for the share of its time that was inside.
// All CPU time of the container is taken as that of the logins. If more of them failed than
// mostFailed, their number is left at 0: failed logins use CPU time, too, so that what one takes is
// unknown.
func countLogins(used *evidence.Delta, number int, step loadplan.Step, log *Log) {
	if used == nil {
		return
	}
	from := time.Duration(step.StartMilliseconds+step.SettleMilliseconds) * time.Millisecond
	until := from + time.Duration(step.CountedMilliseconds)*time.Millisecond
	var logins, failed float64
	for _, r := range log.Before(math.MaxInt) {
		if r.Step != number || r.Ended <= r.Sent {
			continue
		}
		inside := max(0, min(r.Ended, until)-max(r.Sent, from)).Seconds() / (r.Ended - r.Sent).Seconds()
		if r.Outcome == measurement.OK {
			logins += inside
		} else {
			failed += inside
		}
	}
	if failed > mostFailed*(logins+failed) {
		return
	}
	used.Hashes = int64(math.Round(logins))
	used.TimedHashes, used.HashMicroseconds = used.Hashes, used.CPUMicroseconds
}
