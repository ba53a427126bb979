package v1alpha1

// Verdict says whether a result may be believed.
// +kubebuilder:validation:Enum=Pending;Valid;Suspect;Invalid
type Verdict string

// The verdicts, from best to worst, after Pending.
const (
	VerdictPending Verdict = "Pending"
	VerdictValid   Verdict = "Valid"
	VerdictSuspect Verdict = "Suspect"
	VerdictInvalid Verdict = "Invalid"
)

// Reason is why a verdict is not simply Valid, or why p95 is absent.
type Reason struct {
	// The reason in one word, such as GeneratorSaturated.
	// +kubebuilder:validation:MaxLength=64
	Type string `json:"type"`
	// What it makes of the result. Absent where the reason only explains.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
	// What was seen, the threshold, and what to do, in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// Interval is where the true value lies, with 95 % confidence.
type Interval struct {
	// The lower end, in microseconds.
	LowMicroseconds int64 `json:"lowMicroseconds"`
	// The upper end, in microseconds.
	HighMicroseconds int64 `json:"highMicroseconds"`
}

// RateInterval is where the true rate lies.
type RateInterval struct {
	// The lower end, in logins per second, times 1000.
	LowMilliPerSecond int64 `json:"lowMilliPerSecond"`
	// The upper end, in logins per second, times 1000.
	HighMilliPerSecond int64 `json:"highMilliPerSecond"`
}

// CalibrationResult is how long a hash takes on the variant's CPU.
type CalibrationResult struct {
	// CPU time of one hash on all its threads, the mean of the samples, in
	// microseconds; at least 1.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// Half the width of the mean's 99.9 % Student interval, in microseconds.
	ErrorMicroseconds int64 `json:"errorMicroseconds"`
	// How many samples were taken, of one hash each, or of as many as fill a
	// millisecond.
	Samples int32 `json:"samples"`
	// Hashes per second by the clock, times 1000, one after another: what is left
	// of the CPU time's rate once the quota's stalls are counted.
	ClockHashesMilliPerSecond int64 `json:"clockHashesMilliPerSecond"`
}

// VariantResult is what is known of one variant; its trials hold every step
// and the evidence under the numbers.
type VariantResult struct {
	// The variant's name, such as c10-500m.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// How passwords were hashed.
	Algorithm Algorithm `json:"algorithm"`
	// The bcrypt cost. Only with Bcrypt.
	// +optional
	Cost int32 `json:"cost,omitempty"`
	// The name of the control that was measured; absent where a cost was.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Control string `json:"control,omitempty"`
	// The CPU limit, as the experiment wrote it.
	CPULimit string `json:"cpuLimit"`
	// The node pool's name; absent where the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// How long a hash takes there, at the reference speed.
	// +optional
	Calibration *CalibrationResult `json:"calibration,omitempty"`
	// How the speed of the CPU varied while the variant was measured; absent where
	// it is not known.
	// +optional
	Speed *RowSpeed `json:"speed,omitempty"`
	// The most logins per second that the CPU could serve, times 1000: replicas ×
	// min(quota if there is one, workers, GOMAXPROCS, CPUs of the cpuset) ÷ hash
	// time at the reference speed.
	// +optional
	BoundMilliPerSecond *int64 `json:"boundMilliPerSecond,omitempty"`
	// Logins completed per second when saturated, times 1000, at the reference
	// speed.
	// +optional
	MaxThroughputMilliPerSecond *int64 `json:"maxThroughputMilliPerSecond,omitempty"`
	// The highest login rate that meets the objective, times 1000, at the
	// reference speed; absent when none does. The trial holds the bracket and how
	// it was found.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// Where the true capacity lies, with 95 % confidence: by the model's error,
	// the time of a hash, the reference speed, and the scatter of repetitions.
	// +optional
	CapacityInterval *RateInterval `json:"capacityInterval,omitempty"`
	// How the capacity was decided: Measured, Predicted, or Both.
	// +optional
	CapacityMethod CapacityMethod `json:"capacityMethod,omitempty"`
	// True when the highest rate that was offered met the objective, so that the
	// true capacity is at least this.
	// +optional
	CapacityIsLowerBound *bool `json:"capacityIsLowerBound,omitempty"`
	// Whether some rate meets the objective.
	// +optional
	ObjectiveMet *bool `json:"objectiveMet,omitempty"`
	// In mode Capacity: the reported step's share of the variant's bound, in
	// percent, the same for every variant, so that rows compare.
	// +optional
	ReportedLoadPercent *int32 `json:"reportedLoadPercent,omitempty"`
	// The login rate of the reported step, times 1000, at the reference speed: the
	// same share of the bound as was planned. Absent with mode Users.
	// +optional
	OfferedMilliPerSecond *int64 `json:"offeredMilliPerSecond,omitempty"`
	// The number of users of the reported step. Only with mode Users.
	// +optional
	Users *int32 `json:"users,omitempty"`
	// Logins answered with 200 inside the reported step's counted time, per
	// second, times 1000, at the reference speed.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// The 95th percentile of latency at the reported step, in microseconds, at the
	// reference speed; absent when the step was overloaded or had under 20
	// successes.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// Where the true p95 lies, with 95 % confidence: by order statistics or
	// simulated runs of the same step, whichever is wider, with the conversion to
	// the reference speed and the scatter of repetitions. Absent below 72 samples.
	// +optional
	P95Interval *Interval `json:"p95Interval,omitempty"`
	// The median latency at the reported step, as p95Microseconds.
	// +optional
	P50Microseconds *int64 `json:"p50Microseconds,omitempty"`
	// Where the true median lies, as p95Interval.
	// +optional
	P50Interval *Interval `json:"p50Interval,omitempty"`
	// The 99th percentile of latency at the reported step, as p95Microseconds.
	// +optional
	P99Microseconds *int64 `json:"p99Microseconds,omitempty"`
	// Where the true 99th percentile lies, as p95Interval. Absent below 368
	// samples.
	// +optional
	P99Interval *Interval `json:"p99Interval,omitempty"`
	// Successful logins that p95 was taken from.
	// +optional
	Samples *int64 `json:"samples,omitempty"`
	// How many logins failed at the reported step and the faster ones that the
	// service kept up with, and what that shows.
	// +optional
	Failures *Failures `json:"failures,omitempty"`
	// The most memory that a pod of the login service used at any time, in bytes,
	// by its cgroup (memory.peak, or memory.max_usage_in_bytes). Absent if the
	// kernel does not tell.
	// +optional
	MemoryPeakBytes *int64 `json:"memoryPeakBytes,omitempty"`
	// The share of the reported step's elapsed quota periods in which the service
	// was throttled, in percent; absent where there is no quota.
	// +optional
	ThrottledPercent *int32 `json:"throttledPercent,omitempty"`
	// Whether the numbers may be believed: Valid, Suspect (with care, see
	// reasons), Invalid (no), or Pending, until the last trial has ended.
	Verdict Verdict `json:"verdict"`
	// Why the verdict is not simply Valid.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Reasons []Reason `json:"reasons,omitempty"`
	// How many trials this row was taken from. Its numbers are their medians; of
	// an even number of trials the less favourable of the two in the middle.
	// +optional
	Trials int32 `json:"trials"`
	// How far the repetitions lie apart; absent with a single one.
	// +optional
	Spread *Spread `json:"spread,omitempty"`
	// How the variant differs from spec.baseline, and whether chance explains
	// that; absent without a baseline, on the baseline itself, and where one of
	// the two has no result that is not Invalid.
	// +optional
	Comparison *Comparison `json:"comparison,omitempty"`
	// What it takes to serve the demand. Absent without a demand or a capacity,
	// and on controls.
	// +optional
	Sizing *Sizing `json:"sizing,omitempty"`
	// What it costs. Absent without prices.
	// +optional
	Price *Price `json:"price,omitempty"`
}

// Failures is how many logins failed, and what that shows: of a hundred logins
// without a failure it can't be said that fewer than 30 in 1,000 fail.
type Failures struct {
	// Logins that were due.
	Logins int64 `json:"logins"`
	// Those that failed.
	Failed int64 `json:"failed"`
	// The largest share that may fail, in millionths, with 95 % confidence if
	// logins fail independently of each other (Clopper and Pearson).
	AtMostPerMillion int64 `json:"atMostPerMillion"`
}

// Spread is how far the repetitions of a variant lie apart: each is the range
// (largest − smallest) in thousandths of the median.
type Spread struct {
	// Of p95 at the reported step.
	// +optional
	P95PerMille *int64 `json:"p95PerMille,omitempty"`
	// Of the capacity.
	// +optional
	CapacityPerMille *int64 `json:"capacityPerMille,omitempty"`
	// Of the maximum throughput.
	// +optional
	MaxThroughputPerMille *int64 `json:"maxThroughputPerMille,omitempty"`
}

// Comparison holds a variant's repetitions against another's.
type Comparison struct {
	// The variant it is compared with.
	// +kubebuilder:validation:MaxLength=52
	Against string `json:"against"`
	// The difference of p95 at the reported step.
	// +optional
	P95 *Difference `json:"p95,omitempty"`
	// The difference of the capacity.
	// +optional
	Capacity *Difference `json:"capacity,omitempty"`
	// The difference of the maximum throughput.
	// +optional
	MaxThroughput *Difference `json:"maxThroughput,omitempty"`
	// The difference of the price of a million logins at capacity. It follows from
	// the capacities, whose chance is told there.
	// +optional
	PricePerMillionLogins *Difference `json:"pricePerMillionLogins,omitempty"`
}

// Difference is how two sets of repetitions differ in one number.
type Difference struct {
	// The difference of the medians, in thousandths of the other's median.
	PerMille int64 `json:"perMille"`
	// The chance of a difference at least as large where there is none, by the
	// Mann–Whitney U test, in thousandths. Few repetitions can't give a small one:
	// with three against three it is 100 at the least. Absent where one of the two
	// has fewer than two repetitions, of which nobody can tell.
	// +optional
	ChancePerMille *int64 `json:"chancePerMille,omitempty"`
}
