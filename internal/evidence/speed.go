package evidence

// MostSpeedSeconds is the largest number of seconds in one response to GET /speed.
const MostSpeedSeconds = 4000

// Speed is the response to GET /speed of a login service: the timed hashes of each second
// of its uptime, by the clock of Reading.UptimeMicroseconds. A hash counts in the second
// that contains its midpoint.
type Speed struct {
	// From is the first second in the lists.
	From int64 `json:"from"`
	// Nanoseconds is the CPU time of the timed hashes of each second, starting with From.
	Nanoseconds []int64 `json:"nanoseconds"`
	// Hashes is the number of timed hashes of each second. Seconds after the last timed hash
	// are not listed.
	Hashes []int64 `json:"hashes"`
}
