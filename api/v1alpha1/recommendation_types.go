package v1alpha1

// Confidence says how far a recommendation can be relied on.
// +kubebuilder:validation:Enum=High;Medium;Low
type Confidence string

const (
	// ConfidenceHigh means that the size was measured, its result is Valid, steps
	// confirmed its capacity, and a verification saw it hold the objective at the
	// demanded rate. The size is made from the lower end of the capacity's
	// interval at the slow speed of the CPU. No size before it failed its
	// verification.
	ConfidenceHigh Confidence = "High"
	// ConfidenceMedium means that the size was measured and its result is Valid,
	// but its capacity was predicted only, or it was not seen to hold; or that the
	// size was predicted by a model that the held-out variants confirmed.
	ConfidenceMedium Confidence = "Medium"
	// ConfidenceLow means that the result is Suspect, or that the capacity was
	// measured with evenly spaced logins, which flatter.
	ConfidenceLow Confidence = "Low"
)

// Bound is something that a size must keep within.
// +kubebuilder:validation:Enum=NoResult;Verification;Objective;MinimumCost;CapacityUnknown;MaxTotalCPU;MaxReplicas
type Bound string

const (
	// BoundNoResult means that no variant has a result that may be believed.
	BoundNoResult Bound = "NoResult"
	// BoundVerification means that two sizes were verified, and both failed the
	// objective at the demanded rate.
	BoundVerification Bound = "Verification"
	// BoundObjective means that no rate meets the objective.
	BoundObjective Bound = "Objective"
	// BoundMinimumCost means that the cost is below demand.minimumCost.
	BoundMinimumCost Bound = "MinimumCost"
	// BoundCapacityUnknown means that the capacity is known as a lower bound only, and
	// that the demand with headroom is beyond it, or that too few logins were counted to
	// show whether any rate meets the objective.
	BoundCapacityUnknown Bound = "CapacityUnknown"
	// BoundMaxTotalCPU means that all replicas together take more CPU than
	// demand.maxTotalCPU.
	BoundMaxTotalCPU Bound = "MaxTotalCPU"
	// BoundMaxReplicas means that more replicas are needed than
	// demand.maxReplicas.
	BoundMaxReplicas Bound = "MaxReplicas"
)

// Recommendation is the size that answers the demand: the highest bcrypt cost, or
// with demand.hashes the hash that costs an attacker most, that some variant
// serves with headroom, the objective held, within the demand's bounds, in the
// cheapest way to run it. Where no size does, variant is absent, and brokenBound,
// nearest and reason say why.
type Recommendation struct {
	// The size that is recommended.
	Size `json:",inline"`
	// p95 that the model expects at the demanded rate, without headroom, from all
	// replicas, in microseconds.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// Whether this size was seen to hold the objective at the demanded rate: Met,
	// Failed, Undecided or NotRun; absent until it is known, and without a
	// verification.
	// +optional
	Verified VerificationOutcome `json:"verified,omitempty"`
	// How far the recommendation can be relied on: High, Medium or Low. Absent
	// where no size is recommended.
	// +optional
	Confidence Confidence `json:"confidence,omitempty"`
	// Why this size, how its replicas share the load, and how sure that is; or why
	// there is none.
	// +kubebuilder:validation:MaxLength=2048
	Reason string `json:"reason"`
	// The next best size: of the same cost, or hash, if another one is within the
	// bounds, otherwise of the next weaker one. Absent when no other size qualifies.
	// +optional
	RunnerUp *Size `json:"runnerUp,omitempty"`
	// What would change the answer, a sentence each, such as "cost 12 needs 3.9
	// more CPUs".
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=512
	Changes []string `json:"changes,omitempty"`
	// The bound that broke first, where no size is recommended: of the nearest
	// size, in the order NoResult, Verification, Objective, MinimumCost,
	// CapacityUnknown, MaxTotalCPU, MaxReplicas.
	// +optional
	BrokenBound Bound `json:"brokenBound,omitempty"`
	// The size that comes nearest, where none is recommended.
	// +optional
	Nearest *Size `json:"nearest,omitempty"`
}

// Size is a variant and how many replicas of it the demand takes.
type Size struct {
	// The variant, such as c10-500m.
	// +optional
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant,omitempty"`
	// Its bcrypt cost.
	// +optional
	Cost int32 `json:"cost,omitempty"`
	// How passwords are hashed if not by bcrypt, such as "Argon2id m=19456 t=2 p=1".
	// Absent for bcrypt, whose cost is above.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Hash string `json:"hash,omitempty"`
	// The CPU limit of each replica, as the experiment wrote it.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	CPULimit string `json:"cpuLimit,omitempty"`
	// How each replica deals with several logins at once.
	// +optional
	Concurrency *Concurrency `json:"concurrency,omitempty"`
	// The node pool's name; absent where the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// True where the variant was not measured but predicted.
	// +optional
	Predicted bool `json:"predicted,omitempty"`
	// How many replicas serve the demand with headroom: the demanded rate with
	// headroom, divided by the capacity of one, rounded up; or, where that is more,
	// the demanded rate divided by it, rounded up, and demand.surviveReplicas beside
	// these. Logins that go to
	// replicas by chance arrive at each as independently as before, only fewer, so
	// that each replica holds the objective up to its own capacity, and no
	// further.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// The CPU limits of all replicas together, a quantity.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	TotalCPU string `json:"totalCPU,omitempty"`
	// The memory limit to give each replica, a quantity: the most memory that a pod
	// of the variant used under load and a quarter more, in whole MiB, and at least
	// what service.memoryLimit must hold. Absent if that was not measured.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	MemoryLimit string `json:"memoryLimit,omitempty"`
	// The highest rate at which all replicas together meet the objective, times
	// 1000.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// The demanded rate without headroom as a share of that capacity, in percent.
	// +optional
	LoadPercent *int32 `json:"loadPercent,omitempty"`
	// What a million logins cost at the demanded rate, all replicas paid for, in
	// prices.currency. A decimal such as "0.83". Absent without a price of CPUs.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PricePerMillionLogins string `json:"pricePerMillionLogins,omitempty"`
	// What all replicas cost in a month of 730 hours, in prices.currency. Absent
	// without a price of CPUs.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PricePerMonth string `json:"pricePerMonth,omitempty"`
	// What an attacker pays for a billion guesses at this cost, or hash, in
	// prices.currency. Absent without prices.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	AttackerPricePerBillionGuesses string `json:"attackerPricePerBillionGuesses,omitempty"`
}

// Sizing is what a variant takes to serve the demand.
type Sizing struct {
	// How many replicas serve the demand with headroom, and without it when
	// demand.surviveReplicas of them are down.
	Replicas int32 `json:"replicas"`
	// The CPU limits of all of them together, a quantity.
	// +kubebuilder:validation:MaxLength=16
	TotalCPU string `json:"totalCPU"`
	// The demanded rate without headroom as a share of their capacity, in percent.
	LoadPercent int32 `json:"loadPercent"`
	// The bounds of the demand that this breaks; absent where it fits.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	Breaks []Bound `json:"breaks,omitempty"`
}

// Price is what a variant costs to run, and to attack, in prices.currency. Each
// is a decimal such as "0.83".
type Price struct {
	// What a million logins cost at the variant's capacity, where its CPU is used
	// best. Absent without a price of CPUs or a capacity.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PerMillionLogins string `json:"perMillionLogins,omitempty"`
	// What the replicas that serve the demand cost in a month of 730 hours. Absent
	// without a price of CPUs, a demand or a capacity.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	PerMonth string `json:"perMonth,omitempty"`
	// What an attacker pays for a billion guesses: 10^9 ÷ guesses per second of a
	// GPU at this cost ÷ 3600 × the price of a GPU for an hour. Only of bcrypt.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	AttackerPerBillionGuesses string `json:"attackerPerBillionGuesses,omitempty"`
}
