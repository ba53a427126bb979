package measurement

import "time"

// Timeline is how long hashes took over a load, window by window: the CPU time of
// the thread that computed them, averaged over the hashes of each window and over
// all pods of the service. It shows how the speed of the CPU changed.
type Timeline struct {
	// Window is how long each window is: whole seconds, at least one.
	Window time.Duration
	// HashNanoseconds is the mean CPU time of one hash in each window, the first of
	// which begins at the plan's zero; 0 where no hash was timed.
	HashNanoseconds []int64
}

// MostWindows is how many windows a timeline has at the most: the windows of a
// longer load are longer.
const MostWindows = 360
