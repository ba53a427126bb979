package v1alpha1

// StepKind says how a step drives the service.
// +kubebuilder:validation:Enum=Open;Closed;Saturation
type StepKind string

const (
	// StepOpen sends logins when they are due, whether or not earlier ones were
	// answered.
	StepOpen StepKind = "Open"
	// StepClosed keeps a number of users busy.
	StepClosed StepKind = "Closed"
	// StepSaturation keeps just enough callers busy that the service never idles.
	StepSaturation StepKind = "Saturation"
)

// StepOutcome is what a step says of the objective.
// +kubebuilder:validation:Enum=Met;Failed;Undecided;Overloaded;NotRun;NotJudged
type StepOutcome string

const (
	// StepMet means that the upper ends of all intervals hold the objective: of its
	// percentiles, and of the share of logins that fail.
	StepMet StepOutcome = "Met"
	// StepFailed means that the lower end of one of them does not hold it.
	StepFailed StepOutcome = "Failed"
	// StepUndecided means that the objective lies inside an interval, or that
	// there were too few samples for one.
	StepUndecided StepOutcome = "Undecided"
	// StepOverloaded means that the service could not keep up, so that p95 would
	// only tell how long it was driven.
	StepOverloaded StepOutcome = "Overloaded"
	// StepNotRun means that the step could not have gathered enough samples.
	StepNotRun StepOutcome = "NotRun"
	// StepNotJudged means that the step has another purpose, as saturation does.
	StepNotJudged StepOutcome = "NotJudged"
)

// Step is one offered load held for a while. Counts and latencies are of its
// counted part only.
type Step struct {
	// How the step drove the service.
	Kind StepKind `json:"kind"`
	// What the step says of the objective: Met, Failed or Undecided (the objective
	// lies inside the interval of a percentile or of the share that fails, or there
	// were too few samples); Overloaded (the service could not keep up); NotRun (too
	// few samples were in reach); NotJudged (the step has another purpose, as
	// saturation does).
	Outcome StepOutcome `json:"outcome"`
	// In mode Capacity: the planned share of the bound, in percent.
	// +optional
	LoadPercent *int32 `json:"loadPercent,omitempty"`
	// The login rate that was offered, times 1000. Only with Open.
	// +optional
	OfferedMilliPerSecond *int64 `json:"offeredMilliPerSecond,omitempty"`
	// Callers that log in again once answered. Only with Closed and Saturation.
	// +optional
	Users *int32 `json:"users,omitempty"`
	// How long the counted part lasted, in milliseconds.
	// +optional
	CountedMilliseconds int64 `json:"countedMilliseconds,omitempty"`
	// Logins that were due: the sum of ok, refused, timedOut, otherErrors, cut and
	// neverSent.
	// +optional
	Scheduled int64 `json:"scheduled"`
	// Answered with a complete 200.
	// +optional
	OK int64 `json:"ok"`
	// Answered with 503: the queue was full.
	// +optional
	Refused int64 `json:"refused"`
	// Given up after the request timeout.
	// +optional
	TimedOut int64 `json:"timedOut"`
	// Failed in another way.
	// +optional
	OtherErrors int64 `json:"otherErrors"`
	// Sent, and cut off by the end of the step.
	// +optional
	Cut int64 `json:"cut"`
	// Never sent: the generator had no free caller, or no time.
	// +optional
	NeverSent int64 `json:"neverSent"`
	// Logins answered with 200 per second inside the counted time, times 1000.
	// With Saturation each login counts by the share of its time, from sending
	// to its answer, that lies inside the counted time.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// The median latency, in microseconds; absent when not measured.
	// +optional
	P50Microseconds *int64 `json:"p50Microseconds,omitempty"`
	// The 95th percentile of latency, in microseconds; a failed login counts as
	// slower than every success. Absent when the step was overloaded or had under
	// 20 successes.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// Where the true p95 lies by order statistics, with 95 % confidence if logins
	// were independent of each other; atReference has the interval that the
	// outcome is judged by. Absent below 72 samples.
	// +optional
	P95Interval *Interval `json:"p95Interval,omitempty"`
	// Where the true median lies, as p95Interval. Absent below 20 samples.
	// +optional
	P50Interval *Interval `json:"p50Interval,omitempty"`
	// Where the true 99th percentile lies, as p95Interval. Absent below 368 samples.
	// +optional
	P99Interval *Interval `json:"p99Interval,omitempty"`
	// Logins that took longer than objective.p50Milliseconds, failed ones
	// included. Only of a Verification whose objective has it.
	// +optional
	SlowerThanP50 *int64 `json:"slowerThanP50,omitempty"`
	// The same of objective.p95Milliseconds.
	// +optional
	SlowerThanP95 *int64 `json:"slowerThanP95,omitempty"`
	// The same of objective.p99Milliseconds.
	// +optional
	SlowerThanP99 *int64 `json:"slowerThanP99,omitempty"`
	// The 99th percentile of latency, in microseconds; absent when not measured.
	// +optional
	P99Microseconds *int64 `json:"p99Microseconds,omitempty"`
	// The latency of the slowest success, in microseconds; absent when there was
	// none.
	// +optional
	MaxMicroseconds *int64 `json:"maxMicroseconds,omitempty"`
	// The median latency of the logins due in the first half of the counted time,
	// in microseconds. Only with Open; absent when not measured.
	// +optional
	FirstHalfP50Microseconds *int64 `json:"firstHalfP50Microseconds,omitempty"`
	// The same of the second half: in a steady state the two differ by chance
	// only.
	// +optional
	SecondHalfP50Microseconds *int64 `json:"secondHalfP50Microseconds,omitempty"`
	// What the model makes of the step's own arrivals. Only with Open; absent
	// without evidence, and when the step was overloaded.
	// +optional
	Model *StepModel `json:"model,omitempty"`
	// How late logins were sent after they were due, the 95th percentile, in
	// microseconds. Only with Open.
	// +optional
	StartLagP95Microseconds *int64 `json:"startLagP95Microseconds,omitempty"`
	// How late logins were sent after they were due, the 99th percentile, in
	// microseconds. Only with Open.
	// +optional
	StartLagP99Microseconds *int64 `json:"startLagP99Microseconds,omitempty"`
	// What the step used of the service's CPU; absent without evidence.
	// +optional
	Service *StepCPU `json:"service,omitempty"`
	// What the step used of the generator's CPU; absent without evidence.
	// +optional
	Generator *StepCPU `json:"generator,omitempty"`
	// How fast the CPU was in the counted part, from the hashes that ended in it.
	// Absent when the service reported no hash times, or too few requests were
	// hashed to tell.
	// +optional
	Speed *StepSpeed `json:"speed,omitempty"`
	// The offered rate as a share of the bound at the step's own speed, in
	// thousandths: loadPercent as it really was. Only with Open.
	// +optional
	LoadPerMille *int64 `json:"loadPerMille,omitempty"`
	// What the step comes to at the reference speed. Only with Open, and where the
	// step was not overloaded; the other numbers of a step are as observed.
	// +optional
	AtReference *StepAtReference `json:"atReference,omitempty"`
	// CPU that the service used ÷ CPU that it was allowed, in thousandths; absent
	// without evidence. Near 1000 where the service was saturated.
	// +optional
	CPUUsedPerMille *int64 `json:"cpuUsedPerMille,omitempty"`
	// The share of the service's CPUs that other processes used, in thousandths.
	// +optional
	OthersPerMille *int64 `json:"othersPerMille,omitempty"`
	// The share of the service's CPUs that the hypervisor gave to other machines,
	// in thousandths.
	// +optional
	StealPerMille *int64 `json:"stealPerMille,omitempty"`
	// The share of the service's CPUs that stood idle, in thousandths.
	// +optional
	IdlePerMille *int64 `json:"idlePerMille,omitempty"`
	// Hashes that the service finished by its own count, in the counted part;
	// absent without evidence.
	// +optional
	ServiceHashes *int64 `json:"serviceHashes,omitempty"`
}

// StepCPU is the CPU that a container, or the containers of all replicas, used
// during a step's counted part.
type StepCPU struct {
	// CPU time, in microseconds.
	CPUMicroseconds int64 `json:"cpuMicroseconds"`
	// Quota periods that elapsed by the clock; absent without a quota.
	// +optional
	Periods *int64 `json:"periods,omitempty"`
	// Periods in which it was throttled; absent without a quota.
	// +optional
	ThrottledPeriods *int64 `json:"throttledPeriods,omitempty"`
	// How long it was throttled, in microseconds; absent without a quota.
	// +optional
	ThrottledMicroseconds *int64 `json:"throttledMicroseconds,omitempty"`
}

// StepModel is what the simulation of a step makes of the very logins that were
// sent, with the CPU time that the service used for each of them in that step.
type StepModel struct {
	// CPU time per login, in microseconds: the service's, divided by its hashes.
	CPUPerLoginMicroseconds int64 `json:"cpuPerLoginMicroseconds"`
	// The simulated 95th percentile of latency, in microseconds.
	P95Microseconds int64 `json:"p95Microseconds"`
	// Measured ÷ simulated p95, times 1000.
	// +optional
	MeasuredPerMille *int64 `json:"measuredPerMille,omitempty"`
}
