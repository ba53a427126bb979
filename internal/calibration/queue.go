package calibration

import "time"

// longestDefaultQueue limits DefaultQueueLength: a longer queue is not a buffer any more,
// whatever the rate.
const longestDefaultQueue = 1024

// DefaultQueueLength returns how many logins a pool lets wait by default: what a service
// can hash in half the time that its callers wait, 1 to 1,024. The other half is left for
// the hash itself and for throttling by a quota: a login that times out in the queue has
// taken the place of one that could have been answered.
func DefaultQueueLength(hashesPerSecond float64, requestTimeout time.Duration) int32 {
	served := hashesPerSecond * requestTimeout.Seconds() / 2
	return int32(max(1, min(longestDefaultQueue, served)))
}
