package v1beta1

// Confidence is how far a recommendation can be relied on.
// +kubebuilder:validation:Enum=High;Medium;Low
type Confidence string

const (
	// ConfidenceHigh means that the size was measured, its result is Valid, steps confirmed
	// its capacity, and a verification showed that it meets the objective at the demanded
	// rate. The size is computed from the lower end of the capacity's interval at the sizing
	// speed of the CPU. No other size failed its verification before.
	ConfidenceHigh Confidence = "High"
	// ConfidenceMedium means that the size was measured and its result is Valid, but its
	// capacity was only predicted, or no verification showed that it meets the objective, or
	// the pod of its verification shows that the headroom takes more replicas on slow pods; or
	// that the size was predicted by a model that the held-out variants confirmed.
	ConfidenceMedium Confidence = "Medium"
	// ConfidenceLow means that the result is Suspect, or that the capacity was measured
	// with evenly spaced logins, which hide queueing.
	ConfidenceLow Confidence = "Low"
)

// Bound is a limit that a size must keep.
// +kubebuilder:validation:Enum=NoResult;Verification;Objective;MinimumCost;CapacityUnknown;MaxTotalCPU;MaxReplicas
type Bound string

const (
	// BoundNoResult means that no variant has a usable result.
	BoundNoResult Bound = "NoResult"
	// BoundVerification means that two sizes were verified, and both failed the objective
	// at the demanded rate.
	BoundVerification Bound = "Verification"
	// BoundObjective means that no rate meets the objective.
	BoundObjective Bound = "Objective"
	// BoundMinimumCost means that the cost is below demand.minimumCost.
	BoundMinimumCost Bound = "MinimumCost"
	// BoundCapacityUnknown means that only a lower bound of the capacity is known and the
	// demand with headroom is above it, or that too few logins were counted to show whether
	// any rate meets the objective.
	BoundCapacityUnknown Bound = "CapacityUnknown"
	// BoundMaxTotalCPU means that all replicas together need more CPU than
	// demand.maxTotalCPU.
	BoundMaxTotalCPU Bound = "MaxTotalCPU"
	// BoundMaxReplicas means that more replicas are needed than demand.maxReplicas.
	BoundMaxReplicas Bound = "MaxReplicas"
)

// Recommendation is the recommended size for the demand: the highest bcrypt cost, or with
// demand.hashes the hash that costs an attacker most, that a variant serves with headroom
// while it meets the objective and keeps the demand's limits, at the lowest price. If no
// size does, variant is absent, and brokenBound, nearest and reason say why.
type Recommendation struct {
	// The size that is recommended.
	Size `json:",inline"`
	// p95 that the model predicts at the demanded rate, without headroom, with all
	// replicas, in microseconds.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// Whether a verification showed that this size meets the objective at the demanded
	// rate: Met, Failed, Undecided or NotRun. Absent until it is known, and without a
	// verification.
	// +optional
	Verified VerificationOutcome `json:"verified,omitempty"`
	// How far the recommendation can be relied on: High, Medium or Low. Absent if no size
	// is recommended.
	// +optional
	Confidence Confidence `json:"confidence,omitempty"`
	// Why this size is recommended, how much it can serve, and how certain that is; or why no
	// size is recommended. At most three sentences.
	// +kubebuilder:validation:MaxLength=2048
	Reason string `json:"reason"`
	// The next best size: of the same cost or hash, if another size is within the limits,
	// otherwise of the next weaker one. Absent if no other size qualifies.
	// +optional
	RunnerUp *Size `json:"runnerUp,omitempty"`
	// What would change the recommendation, one sentence each, such as "cost 12 needs 3.9
	// more CPUs".
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=512
	Changes []string `json:"changes,omitempty"`
	// The first limit that the nearest size breaks, if no size is recommended, in the order
	// NoResult, Verification, Objective, MinimumCost, CapacityUnknown, MaxTotalCPU,
	// MaxReplicas.
	// +optional
	BrokenBound Bound `json:"brokenBound,omitempty"`
	// The size that comes nearest to the demand, if no size is recommended.
	// +optional
	Nearest *Size `json:"nearest,omitempty"`
}

// Size is a variant and the number of its replicas that serves the demand.
type Size struct {
	// The variant, such as c10-500m.
	// +optional
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant,omitempty"`
	// Its bcrypt cost.
	// +optional
	Cost int32 `json:"cost,omitempty"`
	// How passwords are hashed if not by bcrypt, such as "Argon2id m=19456 t=2 p=1". Absent
	// for bcrypt, whose cost is in cost.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Hash string `json:"hash,omitempty"`
	// The CPU limit of each replica, as written in the experiment.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	CPULimit string `json:"cpuLimit,omitempty"`
	// How each replica handles several logins at once.
	// +optional
	Concurrency *Concurrency `json:"concurrency,omitempty"`
	// The node pool's name; absent if the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// True if the variant was predicted and not measured.
	// +optional
	Predicted bool `json:"predicted,omitempty"`
	// How many replicas serve the demand with headroom: the demanded rate with headroom,
	// divided by the capacity of one replica, rounded up; or, if that is more, the demanded
	// rate divided by that capacity, rounded up, plus demand.surviveReplicas. Logins that
	// are spread over the replicas at random arrive at each one as independently as before,
	// only at a lower rate. So each replica meets the objective up to its own capacity, and
	// not above it.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// The CPU limits of all replicas together, a quantity.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	TotalCPU string `json:"totalCPU,omitempty"`
	// The recommended memory limit of each replica, a quantity: the maximum memory that a
	// pod of the variant used under load plus a quarter, in whole MiB, and at least 32Mi. Only
	// with service.own, because the memory of Hashmark's own service says nothing about that of
	// yours; absent if it was not measured.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	MemoryLimit string `json:"memoryLimit,omitempty"`
	// The highest rate at which all replicas together meet the objective, times
	// 1000.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// The demanded rate without headroom as a share of that capacity, in thousandths.
	// +optional
	LoadPerMille *int64 `json:"loadPerMille,omitempty"`
	// The price of a million logins at the demanded rate, with all replicas paid for, in
	// prices.currency. A decimal such as "0.83". Absent without a CPU price.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PricePerMillionLogins string `json:"pricePerMillionLogins,omitempty"`
	// The price of all replicas for a month of 730 hours, in prices.currency. Absent
	// without a CPU price.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PricePerMonth string `json:"pricePerMonth,omitempty"`
	// The price that an attacker pays for a billion guesses at this cost or hash, in
	// prices.currency. Absent without prices.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	AttackerPricePerBillionGuesses string `json:"attackerPricePerBillionGuesses,omitempty"`
}

// Sizing is what a variant needs to serve the demand.
type Sizing struct {
	// How many replicas serve the demand with headroom, and without headroom if
	// demand.surviveReplicas of them are down.
	Replicas int32 `json:"replicas"`
	// The CPU limits of all replicas together, a quantity.
	// +kubebuilder:validation:MaxLength=16
	TotalCPU string `json:"totalCPU"`
	// The demanded rate without headroom as a share of the capacity of all replicas, in
	// thousandths.
	LoadPerMille int64 `json:"loadPerMille"`
	// The limits of the demand that this size breaks; absent if it keeps them all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	Breaks []Bound `json:"breaks,omitempty"`
}

// Price is what a variant costs to run and to attack, in prices.currency. Each price is a
// decimal such as "0.83".
type Price struct {
	// The price of a million logins at the variant's capacity, where its CPU is used best.
	// Absent without a CPU price or a capacity.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PerMillionLogins string `json:"perMillionLogins,omitempty"`
	// The price of the replicas that serve the demand for a month of 730 hours. Absent
	// without a CPU price, a demand or a capacity.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PerMonth string `json:"perMonth,omitempty"`
	// The price that an attacker pays for a billion guesses: 10^9 ÷ guesses per second of a
	// GPU at this hash ÷ 3600 × the price of a GPU for an hour. Absent if its guesses per second
	// are unknown.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	AttackerPerBillionGuesses string `json:"attackerPerBillionGuesses,omitempty"`
}
