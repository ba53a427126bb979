package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// StepKind is how a step drives the service.
// +kubebuilder:validation:Enum=Open;Closed;Saturation
type StepKind string

const (
	// StepOpen sends logins at their due times, whether or not earlier ones were answered.
	StepOpen StepKind = "Open"
	// StepClosed keeps a number of users busy.
	StepClosed StepKind = "Closed"
	// StepSaturation keeps just enough callers busy that the service never idles.
	StepSaturation StepKind = "Saturation"
)

// StepPurpose is what a step is for.
// +kubebuilder:validation:Enum=Capacity;Maximum;Rate;Users;Verification
type StepPurpose string

const (
	// PurposeCapacity is a step at a share of the bound, from which the capacity is found.
	PurposeCapacity StepPurpose = "Capacity"
	// PurposeMaximum is the saturation, whose throughput is the maximum.
	PurposeMaximum StepPurpose = "Maximum"
	// PurposeRate is a step at a rate that the experiment names.
	PurposeRate StepPurpose = "Rate"
	// PurposeUsers is a step with a number of users that the experiment names.
	PurposeUsers StepPurpose = "Users"
	// PurposeVerification is a step at the rate that the recommended size was chosen for.
	PurposeVerification StepPurpose = "Verification"
)

// StepOutcome is whether a step meets the objective.
// +kubebuilder:validation:Enum=Planned;Met;Failed;Undecided;Overloaded;NotRun;NotJudged
type StepOutcome string

const (
	// StepPlanned means that the load has begun, and that its result is not read yet.
	StepPlanned StepOutcome = "Planned"
	// StepMet means that the upper ends of all intervals meet the objective: those of its
	// percentiles, and that of the share of logins that fail.
	StepMet StepOutcome = "Met"
	// StepFailed means that the lower end of one of the intervals does not meet the
	// objective.
	StepFailed StepOutcome = "Failed"
	// StepUndecided means that the objective is inside an interval, or that there were too
	// few samples for an interval.
	StepUndecided StepOutcome = "Undecided"
	// StepOverloaded means that the service could not keep up, so that p95 would depend
	// only on how long it was driven.
	StepOverloaded StepOutcome = "Overloaded"
	// StepNotRun means that the step could not have collected enough samples.
	StepNotRun StepOutcome = "NotRun"
	// StepNotJudged means that the step has another purpose, such as saturation.
	StepNotJudged StepOutcome = "NotJudged"
)

// Step is one offered load, held for some time. Counts and latencies are those of its
// counted part only.
type Step struct {
	// How the step drove the service.
	Kind StepKind `json:"kind"`
	// What the step was for: Capacity (a share of the bound, from which the capacity is found),
	// Maximum (the saturation), Rate or Users (as the experiment names them), or Verification.
	// +optional
	Purpose StepPurpose `json:"purpose,omitempty"`
	// Whether the step meets the objective: Met, Failed or Undecided (the objective is
	// inside the interval of a percentile or of the share that fails, or there were too few
	// samples); Overloaded (the service could not keep up); NotRun (the step could not have
	// collected enough samples); NotJudged (the step has another purpose, such as
	// saturation). Planned until the load has ended and its result is read.
	Outcome StepOutcome `json:"outcome"`
	// Why the step is not run, and what to do. Only with NotRun.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
	// True for the step that the trial's result was taken from. Absent for all others.
	// +optional
	Reported bool `json:"reported,omitempty"`
	// How the step was planned; absent if it was not run.
	// +optional
	Plan *StepPlan `json:"plan,omitempty"`
	// With load.capacity: the planned share of the bound, in thousandths.
	// +optional
	PlannedLoadPerMille *int64 `json:"plannedLoadPerMille,omitempty"`
	// The offered login rate, times 1000. Only with Open.
	// +optional
	OfferedMilliPerSecond *int64 `json:"offeredMilliPerSecond,omitempty"`
	// The number of callers that log in again once answered. Only with Closed and
	// Saturation.
	// +optional
	Users *int32 `json:"users,omitempty"`
	// How long the counted part lasted, in milliseconds.
	// +optional
	CountedMilliseconds int64 `json:"countedMilliseconds,omitempty"`
	handover.StepResult `json:",inline"`
	// The model's simulation of the step's own arrivals. Only with Open; absent without
	// evidence, and if the step was overloaded.
	// +optional
	Model *StepModel `json:"model,omitempty"`
	// The CPU that the service used in the step; absent without evidence.
	// +optional
	Service *StepCPU `json:"service,omitempty"`
	// The CPU that the generator used in the step; absent without evidence.
	// +optional
	Generator *StepCPU `json:"generator,omitempty"`
	// How fast the CPU was in the counted part, from the hashes that ended in it. Absent if
	// the service reported no hash times, or if too few requests were hashed.
	// +optional
	Speed *StepSpeed `json:"speed,omitempty"`
	// The offered rate as a share of the bound at the step's own speed, in thousandths: the
	// actual value of plannedLoadPerMille. Only with Open.
	// +optional
	LoadPerMille *int64 `json:"loadPerMille,omitempty"`
	// The step's result at the reference speed; the other numbers of a step are as
	// observed. Absent with Saturation.
	// +optional
	AtReference *StepAtReference `json:"atReference,omitempty"`
	// The CPU that the service used ÷ the CPU that it was allowed, in thousandths; absent
	// without evidence. Near 1000 if the service was saturated.
	// +optional
	CPUUsedPerMille *int64 `json:"cpuUsedPerMille,omitempty"`
	// The share of the service's CPUs that other processes used, in thousandths.
	// +optional
	OthersPerMille *int64 `json:"othersPerMille,omitempty"`
	// The share of the service's CPUs that the hypervisor gave to other machines (steal),
	// in thousandths.
	// +optional
	StealPerMille *int64 `json:"stealPerMille,omitempty"`
	// The share of the service's CPUs that was idle, in thousandths.
	// +optional
	IdlePerMille *int64 `json:"idlePerMille,omitempty"`
	// The number of hashes that the service finished in the counted part, by its own count;
	// absent without evidence.
	// +optional
	ServiceHashes *int64 `json:"serviceHashes,omitempty"`
}

// Ran reports whether the step has a result.
func (s *Step) Ran() bool { return s.Outcome != StepPlanned && s.Outcome != StepNotRun }

// StepPlan is how a step was planned. The logins of the step can be simulated from it.
type StepPlan struct {
	// When the step began, in milliseconds from the start of the load.
	StartMilliseconds int64 `json:"startMilliseconds"`
	// How long the step was held before it counted, in milliseconds.
	SettleMilliseconds int64 `json:"settleMilliseconds"`
	// How long the counted part lasted, in milliseconds.
	CountedMilliseconds int64 `json:"countedMilliseconds"`
	// How long requests under way could take to end, in milliseconds.
	DrainMilliseconds int64 `json:"drainMilliseconds"`
	// The number of k6's virtual users.
	Callers int32 `json:"callers"`
	// When logins were due: Poisson or Uniform. Only with Open.
	// +optional
	Arrivals Arrivals `json:"arrivals,omitempty"`
	// The logins that were due before the counted part. Only with Open.
	// +optional
	SettleRequests int64 `json:"settleRequests,omitempty"`
	// The logins that were due in the counted part. Only with Open.
	// +optional
	Requests int64 `json:"requests,omitempty"`
	// The seed of the due times. Only with Open.
	// +optional
	Seed int64 `json:"seed,omitempty"`
}

// StepCPU is the CPU that a container, or the containers of all replicas, used during the
// counted part of a step.
type StepCPU struct {
	// The CPU time used, in microseconds.
	CPUMicroseconds int64 `json:"cpuMicroseconds"`
	// The quota periods that elapsed by the clock; absent without a quota.
	// +optional
	Periods *int64 `json:"periods,omitempty"`
	// The quota periods in which the container was throttled; absent without a quota.
	// +optional
	ThrottledPeriods *int64 `json:"throttledPeriods,omitempty"`
	// How long the container was throttled, in microseconds; absent without a quota.
	// +optional
	ThrottledMicroseconds *int64 `json:"throttledMicroseconds,omitempty"`
}

// StepModel is the result of simulating a step with exactly the logins that were sent and
// the CPU time that the service used for each of them in that step.
type StepModel struct {
	// The CPU time per login, in microseconds: the service's CPU time, divided by its
	// hashes.
	CPUPerLoginMicroseconds int64 `json:"cpuPerLoginMicroseconds"`
	// How long a login waits for something other than the CPU of the service, for example a database, in
	// microseconds. The simulation includes it. It is the measured less the simulated median in the
	// step with the lowest rate. Only with service.own; absent if it is not positive.
	// +optional
	WaitMicroseconds int64 `json:"waitMicroseconds,omitempty"`
	// Whether the replicas are simulated as taking turns, because they shared the logins so evenly. By default
	// each login goes to one of them at random.
	// +optional
	InTurn bool `json:"inTurn,omitempty"`
	// The simulated 95th percentile of latency, in microseconds: the mean over the possible
	// phases of the quota's periods, because the true phase is unknown.
	P95Microseconds int64 `json:"p95Microseconds"`
	// The smallest simulated 95th percentile over those phases, in microseconds. Absent if an earlier
	// version of Hashmark judged the trial.
	// +optional
	P95LowMicroseconds int64 `json:"p95LowMicroseconds,omitempty"`
	// The largest simulated 95th percentile over those phases, in microseconds. Absent if an earlier
	// version of Hashmark judged the trial.
	// +optional
	P95HighMicroseconds int64 `json:"p95HighMicroseconds,omitempty"`
	// Measured ÷ simulated p95, times 1000.
	// +optional
	MeasuredPerMille *int64 `json:"measuredPerMille,omitempty"`
}
