package handover

// CompanionUse is what a companion of a user's own login service used: CPU during the counted parts of a load, and memory.
type CompanionUse struct {
	// The companion's name.
	// +kubebuilder:validation:MaxLength=16
	Name string `json:"name"`
	// Its CPU time ÷ the number of successful logins, in microseconds.
	CPUPerLoginMicroseconds int64 `json:"cpuPerLoginMicroseconds"`
	// The share of its CPU limit that it used in the step in which it used most, in thousandths.
	BusiestPerMille int64 `json:"busiestPerMille"`
	// The most memory that it used at any time, also while it started, in bytes. Absent if it is unknown.
	// +optional
	MemoryPeakBytes *int64 `json:"memoryPeakBytes,omitempty"`
}

// StepResult is what callers saw of a service in the counted part of a step.
type StepResult struct {
	// Logins that were due: the sum of ok, refused, timedOut, otherErrors, cut and
	// neverSent.
	// +optional
	Scheduled int64 `json:"scheduled"`
	// Logins answered with a complete 200.
	// +optional
	OK int64 `json:"ok"`
	// Logins answered with 503, because the queue was full, or with 429, because of a rate limit.
	// +optional
	Refused int64 `json:"refused"`
	// Logins given up after the request timeout.
	// +optional
	TimedOut int64 `json:"timedOut"`
	// Logins that failed in another way.
	// +optional
	OtherErrors int64 `json:"otherErrors"`
	// Logins that were sent and then cut off by the end of the step.
	// +optional
	Cut int64 `json:"cut"`
	// Logins that were never sent, because the generator had no free caller or no time.
	// +optional
	NeverSent int64 `json:"neverSent"`
	// Logins answered with 200 per second within the counted time, times 1000. With
	// Saturation each login counts by the share of its time, from sending to its answer,
	// that is inside the counted time.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// The latencies of the successful logins, as observed. As fine as the room in the generator's
	// message allows: finest in the reported step, in the saturation and in a verification. Absent
	// without a success, and if there was no room.
	// +optional
	Latencies *Histogram `json:"latencies,omitempty"`
	// The median latency, in microseconds; absent if not measured.
	// +optional
	P50Microseconds *int64 `json:"p50Microseconds,omitempty"`
	// The range of the true median, like p95Interval. Absent below 20 samples.
	// +optional
	P50Interval *Interval `json:"p50Interval,omitempty"`
	// The 95th percentile of latency, in microseconds; a failed login counts as slower than
	// every success. Absent if the step was overloaded or had fewer than 20 successes.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// The range of the true p95 by order statistics, with 95 % confidence if logins are
	// independent of each other. atReference has the interval that the outcome is judged
	// by. Absent below 72 samples.
	// +optional
	P95Interval *Interval `json:"p95Interval,omitempty"`
	// The 99th percentile of latency, in microseconds; absent if not measured.
	// +optional
	P99Microseconds *int64 `json:"p99Microseconds,omitempty"`
	// The range of the true 99th percentile, like p95Interval. Absent below 368 samples.
	// +optional
	P99Interval *Interval `json:"p99Interval,omitempty"`
	// The latency of the slowest success, in microseconds; absent without a success.
	// +optional
	MaxMicroseconds *int64 `json:"maxMicroseconds,omitempty"`
	// The median latency of the logins due in the first half of the counted time, in
	// microseconds. Only with Open; absent if not measured.
	// +optional
	FirstHalfP50Microseconds *int64 `json:"firstHalfP50Microseconds,omitempty"`
	// The median latency of the logins due in the second half of the counted time, in
	// microseconds. In a steady state the two differ only at random.
	// +optional
	SecondHalfP50Microseconds *int64 `json:"secondHalfP50Microseconds,omitempty"`
	// How unevenly the replicas shared the counted logins: the variance of their numbers of logins ÷ the mean,
	// times 1000, at most 10,000. About 1,000 if each login goes to a replica at random, and near 0 if they take turns.
	// Only with Open and several replicas that are Hashmark's own service.
	// +optional
	ReplicaSpreadPerMille *int64 `json:"replicaSpreadPerMille,omitempty"`
	// The longest time in which no login was answered although at least three had been sent, in microseconds, rounded to 10 ms.
	// Only with Open; absent if never three waited. With several replicas all of them stood still.
	// +optional
	LongestPauseMicroseconds *int64 `json:"longestPauseMicroseconds,omitempty"`
	// Logins that took longer than objective.p50Milliseconds, including failed ones. Only
	// in a Verification whose objective sets it.
	// +optional
	SlowerThanP50 *int64 `json:"slowerThanP50,omitempty"`
	// Logins that took longer than objective.p95Milliseconds, including failed ones. Only
	// in a Verification.
	// +optional
	SlowerThanP95 *int64 `json:"slowerThanP95,omitempty"`
	// Logins that took longer than objective.p99Milliseconds, including failed ones. Only
	// in a Verification whose objective sets it.
	// +optional
	SlowerThanP99 *int64 `json:"slowerThanP99,omitempty"`
	// The 95th percentile of the start lag, in microseconds: how long after its due time a
	// login was sent. Only with Open.
	// +optional
	StartLagP95Microseconds *int64 `json:"startLagP95Microseconds,omitempty"`
	// The 99th percentile of the start lag, in microseconds. Only with Open.
	// +optional
	StartLagP99Microseconds *int64 `json:"startLagP99Microseconds,omitempty"`
	// How the pods answered liveness probes in the counted part. Absent if none was sent, as in
	// a step of less than a second.
	// +optional
	Alive *Alive `json:"alive,omitempty"`
}

// Failures returns the number of scheduled logins without a complete 200 response.
func (s *StepResult) Failures() int64 { return s.Scheduled - s.OK }
