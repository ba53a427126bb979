package calibration

import "time"

// longestDefaultQueue bounds DefaultQueueLength: beyond it a queue is no longer
// a buffer, whatever the rate.
const longestDefaultQueue = 1024

// DefaultQueueLength is how many logins a pool lets wait unless it is told: what a service can hash in half the time that its
// callers wait, 1 to 1,024. The other half is left to the hash itself and to
// the stalls of a quota: a login that times out in the queue has kept a place
// from one that could have been answered.
func DefaultQueueLength(hashesPerSecond float64, requestTimeout time.Duration) int32 {
	served := hashesPerSecond * requestTimeout.Seconds() / 2
	return int32(max(1, min(longestDefaultQueue, served)))
}
