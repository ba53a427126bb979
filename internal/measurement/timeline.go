package measurement

import "time"

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
