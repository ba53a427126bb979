package v1alpha1

// Demand is what the login service must carry in production. The answer is the
// highest bcrypt cost, or with hashes the hash that costs an attacker most, that
// some variant serves at this rate with headroom, the objective held, within
// maxTotalCPU and maxReplicas; then the cheapest size.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxReplicas) || !has(self.surviveReplicas) || self.surviveReplicas < self.maxReplicas",message="demand.maxReplicas must be more than demand.surviveReplicas: some replica has to serve when those are down"
type Demand struct {
	// Logins per second to be served, 1 to 1,000,000.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	LoginsPerSecond int32 `json:"loginsPerSecond"`
	// How much to spare beyond that, in percent, 0 to 400, by default 30: for
	// bursts, for a replica that is being replaced, and for nodes slower than the
	// measured.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=400
	HeadroomPercent *int32 `json:"headroomPercent,omitempty"`
	// The lowest cost that is acceptable, 4 to 16. By default 10, the least that
	// OWASP's Password Storage Cheat Sheet accepts. Another hash must cost an
	// attacker at least as much as bcrypt at this cost.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=16
	MinimumCost *int32 `json:"minimumCost,omitempty"`
	// The hashes that may be recommended: Bcrypt (the costs of the matrix) and, from
	// matrix.controls, Argon2id, Scrypt and PBKDF2. When absent: Bcrypt only. Of
	// those that serve the demand the one is recommended whose guesses cost an
	// attacker most. How many guesses per second an attacker makes is known of
	// bcrypt and of OWASP's Argon2id settings (parallelism 1); of another setting
	// prices.attackerRates must say it. Controls with sessions are not chosen.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:XValidation:rule="!('SHA256' in self)",message="SHA256 is deliberately cheap and is never recommended; remove it from demand.hashes"
	Hashes []Algorithm `json:"hashes,omitempty"`
	// The most CPU that all replicas together may have, a quantity. When absent:
	// any amount.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",message="demand.maxTotalCPU must be a CPU quantity above 0, such as \"8\""
	MaxTotalCPU string `json:"maxTotalCPU,omitempty"`
	// The most replicas that may run, 1 to 10,000. When absent: 10,000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MaxReplicas *int32 `json:"maxReplicas,omitempty"`
	// How many replicas may be down, because a node fails or a pod is replaced,
	// while the others still serve loginsPerSecond (without headroom) within the
	// objective, 0 to 3. By default 0: then only the headroom covers for a
	// replica.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3
	SurviveReplicas *int32 `json:"surviveReplicas,omitempty"`
	// Whether the recommended size is deployed and driven at the demanded rate
	// before the experiment ends. Replica (the default) drives one replica at its
	// share, Full all replicas at the whole rate, both with surviveReplicas fewer,
	// and None nothing. It counts logins for at most ten minutes. If the size
	// fails, the next best size is verified, once. Full falls back to Replica if it
	// takes more than ten replicas or more than one generator can drive. The
	// confidence is High only if the recommended size held.
	// +optional
	// +kubebuilder:default=Replica
	Verify Verify `json:"verify,omitempty"`
}

// Verify says how a recommended size is verified.
// +kubebuilder:validation:Enum=None;Replica;Full
type Verify string

const (
	// VerifyNone leaves the recommended size unverified.
	VerifyNone Verify = "None"
	// VerifyReplica drives one replica at its share of the demanded rate.
	VerifyReplica Verify = "Replica"
	// VerifyFull drives all replicas at the demanded rate.
	VerifyFull Verify = "Full"
)

// Prices is what CPUs, memory and an attacker's GPUs cost.
//
// +kubebuilder:validation:XValidation:rule="!(has(self.gpuHour) && has(self.attackerHardware))",message="prices.gpuHour is for hardware that is rented and prices.attackerHardware for hardware that is owned; remove one of them"
type Prices struct {
	// The currency that prices are told in, three letters. By default USD.
	// +optional
	// +kubebuilder:default=USD
	// +kubebuilder:validation:Pattern=`^[A-Z]{3}$`
	// +kubebuilder:validation:MaxLength=3
	Currency string `json:"currency,omitempty"`
	// The price of one CPU for one hour, as a decimal such as "0.04". When absent:
	// only node pools with a price of their own have one.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?$`
	PerCPUHour string `json:"perCPUHour,omitempty"`
	// The price of one GiB of memory for one hour, as a decimal such as "0.005". A
	// replica is charged for its recommended memory limit, or for
	// service.memoryLimit if its memory was not measured. When absent: memory is
	// free.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?$`
	PerGiBHour string `json:"perGiBHour,omitempty"`
	// The price of one GPU for one hour that an attacker rents, as a decimal such
	// as "0.80". When absent: that of attackerHardware, else 0.80 where the
	// currency is USD (a rented RTX 5090 in 2026), else no price of an attack is
	// told.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?$`
	GPUHour string `json:"gpuHour,omitempty"`
	// Hardware that an attacker owns, in the place of a GPU that is rented by
	// gpuHour. An hour of it costs price ÷ (years × 8760) + watts ÷ 1000 ×
	// perKilowattHour. When absent: the GPU is rented.
	// +optional
	AttackerHardware *AttackerHardware `json:"attackerHardware,omitempty"`
	// How many guesses per second one such GPU, or attackerHardware, makes at
	// bcrypt cost 10. Each step up in cost halves it. By default 10000, which is
	// near what an RTX 5090 makes.
	// +optional
	// +kubebuilder:default=10000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	GuessesPerSecondPerGPUAtCost10 *int64 `json:"guessesPerSecondPerGPUAtCost10,omitempty"`
	// How many guesses per second the same GPU, or attackerHardware, makes at a
	// control of the matrix, at most 8. When absent for a control: what was
	// published for OWASP's Argon2id settings on an RTX 5090 (see
	// docs/method.md), else its guesses have no price.
	// +optional
	// +listType=map
	// +listMapKey=control
	// +kubebuilder:validation:MaxItems=8
	AttackerRates []AttackerRate `json:"attackerRates,omitempty"`
}

// AttackerRate is how quickly an attacker's hardware guesses at one hash.
type AttackerRate struct {
	// The name of a control in matrix.controls.
	// +kubebuilder:validation:MaxLength=16
	Control string `json:"control"`
	// Guesses per second, 1 to 10^12.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	GuessesPerSecond int64 `json:"guessesPerSecond"`
}

// AttackerHardware is what an attacker buys and runs without a pause, such as
// one GPU with its share of the machine around it.
type AttackerHardware struct {
	// What it costs to buy, in prices.currency, as a decimal such as "2000".
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?$`
	Price string `json:"price"`
	// The power that it draws while it guesses, in watts, 1 to 100,000.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Watts int32 `json:"watts"`
	// The price of one kilowatt-hour of electricity, in prices.currency, as a
	// decimal such as "0.15".
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?$`
	PerKilowattHour string `json:"perKilowattHour"`
	// How many years of 8760 hours it guesses, 1 to 20. Nothing is left of its
	// price after them.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20
	Years int32 `json:"years"`
}
