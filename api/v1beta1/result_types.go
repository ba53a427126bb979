package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// Verdict is whether a result can be trusted.
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
	// +kubebuilder:validation:MaxLength=32
	Type string `json:"type"`
	// The verdict that this reason causes. Absent if the reason only explains.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
	// What was observed, the threshold, and what to do, in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=344
	Message string `json:"message,omitempty"`
}

// RateInterval is the range of the true rate.
type RateInterval struct {
	// The lower end, in logins per second, times 1000.
	LowMilliPerSecond int64 `json:"lowMilliPerSecond"`
	// The upper end, in logins per second, times 1000.
	HighMilliPerSecond int64 `json:"highMilliPerSecond"`
}

// VariantResult holds the results of one variant. Its trials hold every step and the
// evidence for the numbers.
type VariantResult struct {
	// The variant's name, such as c10-500m.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// The name of the SizingTrial whose reported step the row shows: of several repetitions, the one with
	// the median p95. Absent until one has a result.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	TrialName string `json:"trialName,omitempty"`
	// How logins were checked. Its name is "" if it comes from matrix.costs.
	Hash Hash `json:"hash"`
	// The CPU limit, as written in the experiment.
	// +kubebuilder:validation:MaxLength=16
	CPULimit string `json:"cpuLimit"`
	// The node pool's name; absent if the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// How long a hash takes on this variant, at the reference speed.
	// +optional
	Calibration *handover.CalibrationResult `json:"calibration,omitempty"`
	// How the speed of the CPU varied while the variant was measured; absent if unknown.
	// +optional
	Speed *RowSpeed `json:"speed,omitempty"`
	// The maximum logins per second that the CPU could serve, times 1000: replicas ×
	// min(quota if set, workers, GOMAXPROCS, CPUs of the cpuset) ÷ hash time at the
	// reference speed.
	// +optional
	BoundMilliPerSecond *int64 `json:"boundMilliPerSecond,omitempty"`
	// Logins completed per second at saturation, times 1000, at the reference speed.
	// +optional
	MaxThroughputMilliPerSecond *int64 `json:"maxThroughputMilliPerSecond,omitempty"`
	// The highest login rate that meets the objective, times 1000, at the reference speed;
	// absent if no rate does. The trial holds the bracket and how it was found.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// The range of the true capacity, with 95 % confidence. It accounts for the model's
	// error, the time of a hash, and the scatter of repetitions.
	// +optional
	CapacityInterval *RateInterval `json:"capacityInterval,omitempty"`
	// How the capacity was decided: Measured, Predicted, or Both.
	// +optional
	CapacityMethod CapacityMethod `json:"capacityMethod,omitempty"`
	// True if the highest offered rate met the objective, so that the true capacity is at
	// least this.
	// +optional
	CapacityIsLowerBound *bool `json:"capacityIsLowerBound,omitempty"`
	// Whether some rate meets the objective.
	// +optional
	ObjectiveMet *bool `json:"objectiveMet,omitempty"`
	// With load.capacity: the reported step's planned share of the variant's bound, in
	// thousandths. It is the same for every variant, so that rows can be compared.
	// +optional
	ReportedLoadPerMille *int64 `json:"reportedLoadPerMille,omitempty"`
	// The login rate of the reported step, times 1000, at the reference speed: the same
	// share of the bound as planned. Absent with load.users.
	// +optional
	OfferedMilliPerSecond *int64 `json:"offeredMilliPerSecond,omitempty"`
	// The number of users of the reported step. Only with load.users.
	// +optional
	Users *int32 `json:"users,omitempty"`
	// Logins answered with 200 within the counted time of the reported step, per second,
	// times 1000, at the reference speed.
	// +optional
	ThroughputMilliPerSecond *int64 `json:"throughputMilliPerSecond,omitempty"`
	// The 95th percentile of latency at the reported step, in microseconds, at the
	// reference speed; absent if the step was overloaded or had fewer than 20 successes.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// The range of the true p95, with 95 % confidence: by order statistics or by simulated
	// runs of the same step, whichever is wider, with the conversion to the reference speed
	// and the scatter of repetitions. Absent below 72 samples.
	// +optional
	P95Interval *handover.Interval `json:"p95Interval,omitempty"`
	// The median latency at the reported step, like p95Microseconds.
	// +optional
	P50Microseconds *int64 `json:"p50Microseconds,omitempty"`
	// The range of the true median, like p95Interval.
	// +optional
	P50Interval *handover.Interval `json:"p50Interval,omitempty"`
	// The 99th percentile of latency at the reported step, like p95Microseconds.
	// +optional
	P99Microseconds *int64 `json:"p99Microseconds,omitempty"`
	// The range of the true 99th percentile, like p95Interval. Absent below 368 samples.
	// +optional
	P99Interval *handover.Interval `json:"p99Interval,omitempty"`
	// The number of successful logins that p95 is taken from.
	// +optional
	Samples *int64 `json:"samples,omitempty"`
	// How many logins failed at the reported step and at the faster steps that the service
	// kept up with, and what that shows.
	// +optional
	Failures *Failures `json:"failures,omitempty"`
	// How the pods answered liveness probes in the reported step; of several repetitions, the
	// one with the most failures, and then the longest p95.
	// +optional
	Alive *handover.Alive `json:"alive,omitempty"`
	// What the companions of the user's own login service used; of several repetitions, in the one that the row shows.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=3
	Companions []handover.CompanionUse `json:"companions,omitempty"`
	// The maximum memory that a pod of the login service used at any time, in bytes, from
	// its cgroup (memory.peak, or memory.max_usage_in_bytes). Absent if the kernel does not
	// report it.
	// +optional
	MemoryPeakBytes *int64 `json:"memoryPeakBytes,omitempty"`
	// The share of the elapsed quota periods of the reported step in which the service was
	// throttled, in thousandths; absent without a quota.
	// +optional
	ThrottledPerMille *int64 `json:"throttledPerMille,omitempty"`
	// Whether the numbers can be trusted: Valid, Suspect (with care, see reasons), Invalid
	// (no), or Pending, until the last trial has ended.
	Verdict Verdict `json:"verdict"`
	// Why the verdict is not simply Valid. If there are more than six reasons, those that
	// decide the verdict are kept.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=6
	Reasons []Reason `json:"reasons,omitempty"`
	// The number of trials that this row is taken from. Its numbers are their medians; with
	// an even number of trials, the less favourable of the two in the middle.
	// +optional
	Trials int32 `json:"trials"`
	// How much the repetitions differ; absent with a single repetition.
	// +optional
	Spread *Spread `json:"spread,omitempty"`
	// How the variant differs from spec.baseline, and whether chance explains the
	// differences. Absent without a baseline, for the baseline itself, and if one of the
	// two has no result or an Invalid one.
	// +optional
	Comparison *Comparison `json:"comparison,omitempty"`
	// The replicas and CPU that it takes to serve the demand. Absent without a demand or a
	// capacity, and for a hash that can't be recommended.
	// +optional
	Sizing *Sizing `json:"sizing,omitempty"`
	// What it costs. Absent without prices.
	// +optional
	Price *Price `json:"price,omitempty"`
}

// Failures is how many logins failed, and what that shows: a hundred logins without a
// failure do not show that fewer than 30 in 1,000 fail.
type Failures struct {
	// Logins that were due.
	Logins int64 `json:"logins"`
	// How many of them failed.
	Failed int64 `json:"failed"`
	// The upper limit of the share that fails, in millionths, with 95 % confidence if
	// logins fail independently of each other (Clopper and Pearson).
	AtMostPerMillion int64 `json:"atMostPerMillion"`
}

// Spread is how much the repetitions of a variant differ. Each field is the range (largest
// − smallest) in thousandths of the median.
type Spread struct {
	// The spread of p95 at the reported step.
	// +optional
	P95PerMille *int64 `json:"p95PerMille,omitempty"`
	// The spread of the capacity.
	// +optional
	CapacityPerMille *int64 `json:"capacityPerMille,omitempty"`
	// The spread of the maximum throughput.
	// +optional
	MaxThroughputPerMille *int64 `json:"maxThroughputPerMille,omitempty"`
}

// Comparison compares a variant's repetitions with another's.
type Comparison struct {
	// The variant that this one is compared with.
	// +kubebuilder:validation:MaxLength=52
	Against string `json:"against"`
	// The difference in p95 at the reported step.
	// +optional
	P95 *Difference `json:"p95,omitempty"`
	// The difference in the capacity.
	// +optional
	Capacity *Difference `json:"capacity,omitempty"`
	// The difference in the maximum throughput.
	// +optional
	MaxThroughput *Difference `json:"maxThroughput,omitempty"`
	// The difference in the price of a million logins at capacity. It follows from the
	// difference in capacity, which says whether chance explains it.
	// +optional
	PricePerMillionLogins *Difference `json:"pricePerMillionLogins,omitempty"`
}

// Difference is how two sets of repetitions differ in one number.
type Difference struct {
	// The difference of the medians, in thousandths of the other variant's median.
	PerMille int64 `json:"perMille"`
	// The probability of a difference at least as large if there is no real one, by the
	// Mann–Whitney U test, in thousandths. A few repetitions can't give a small one: with
	// three against three it is at least 100. Absent if one of the two has fewer than two
	// repetitions, because it is then unknown.
	// +optional
	ChancePerMille *int64 `json:"chancePerMille,omitempty"`
}
