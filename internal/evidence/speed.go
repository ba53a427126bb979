package evidence

// MostSpeedSeconds is how many seconds one answer to GET /speed covers at most.
const MostSpeedSeconds = 4000

// Speed is what GET /speed of a login service answers: the timed hashes of each
// second of its uptime, the clock of Reading.UptimeMicroseconds. A hash counts in
// the second in which its midpoint lies.
type Speed struct {
	// From is the first second that is listed.
	From int64 `json:"from"`
	// Nanoseconds is the CPU time of the timed hashes of each second, From first.
	Nanoseconds []int64 `json:"nanoseconds"`
	// Hashes is how many they were. Seconds after the last timed hash are not listed.
	Hashes []int64 `json:"hashes"`
}
