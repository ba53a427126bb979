package v1alpha1

// Demand is what the login service must carry in production. The answer is the
// highest bcrypt cost that some variant serves at this rate with headroom, the
// objective held, within maxTotalCPU and maxReplicas; then the cheapest size.
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
	// OWASP's Password Storage Cheat Sheet accepts.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=16
	MinimumCost *int32 `json:"minimumCost,omitempty"`
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
}

// Prices is what CPUs and an attacker's GPUs cost.
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
	// The price of one GPU for one hour, to an attacker, as a decimal such as "3".
	// When absent: 3 where the currency is USD, else no price of an attack is
	// told.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[0-9]+(\.[0-9]+)?$`
	GPUHour string `json:"gpuHour,omitempty"`
	// How many guesses per second one such GPU makes at bcrypt cost 10. Each step
	// up in cost halves it. By default 10000, which is near what an RTX 5090 and
	// an H100 make.
	// +optional
	// +kubebuilder:default=10000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	GuessesPerSecondPerGPUAtCost10 *int64 `json:"guessesPerSecondPerGPUAtCost10,omitempty"`
}
