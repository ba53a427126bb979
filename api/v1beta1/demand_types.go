package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Demand is what the login service must carry in production. The recommendation is the
// highest bcrypt cost, or with hashes the hash that costs an attacker most, that a variant
// serves at this rate with headroom while it meets the objective and stays within
// maxTotalCPU and maxReplicas. Of the sizes that do, the cheapest is recommended.
//
// +kubebuilder:validation:XValidation:rule="!has(self.maxReplicas) || !has(self.surviveReplicas) || self.surviveReplicas < self.maxReplicas",message="demand.maxReplicas must be greater than demand.surviveReplicas, so that a replica is left when those are down; raise maxReplicas, or lower surviveReplicas"
type Demand struct {
	// The logins per second to serve, above 0 and at most 1,000,000: a whole number, or a
	// string with up to three decimals, such as "0.5".
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=11
	// +kubebuilder:validation:XValidation:rule="type(self) == int || string(self).matches('^[0-9]+([.][0-9]{1,3})?$')",message="demand.loginsPerSecond must be a whole number or a string with up to three decimals, such as \"0.5\""
	// +kubebuilder:validation:XValidation:rule="!(type(self) == int || string(self).matches('^[0-9]+([.][0-9]{1,3})?$')) || double(self) > 0.0 && double(self) <= 1000000.0",message="demand.loginsPerSecond must be above 0 and at most 1,000,000"
	LoginsPerSecond intstr.IntOrString `json:"loginsPerSecond"`
	// The spare capacity above loginsPerSecond, in percent, 0 to 400, by default 30: for
	// bursts, for a replica that is being replaced, and for nodes that are slower than the
	// measured ones.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=400
	HeadroomPercent *int32 `json:"headroomPercent,omitempty"`
	// The lowest acceptable bcrypt cost, 4 to 16. By default 10, the minimum of OWASP's
	// Password Storage Cheat Sheet. Another hash must cost an attacker at least as much as
	// bcrypt at this cost. It is not checked if the matrix has one hash, and an attacker's guesses
	// per second at it are unknown.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=4
	// +kubebuilder:validation:Maximum=16
	MinimumCost *int32 `json:"minimumCost,omitempty"`
	// The kinds of hash of the matrix that can be recommended.
	// When absent: bcrypt only, or the hash of a matrix that has one. Of the hashes that serve the demand, the one whose guesses cost an
	// attacker most is recommended. The guesses per second of an attacker are known for bcrypt and
	// for OWASP's Argon2id settings (parallelism 1); for other settings, set the hash's
	// guessesPerSecond, unless the matrix has one hash. Hashes with sessions are never recommended.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:XValidation:rule="!('sha256' in self)",message="sha256 is deliberately cheap and is never recommended; remove it from demand.hashes"
	Hashes []HashKind `json:"hashes,omitempty"`
	// The maximum CPU of all replicas together, a quantity such as 8 or 7500m; a decimal needs
	// quotes, such as "7.5". When absent: any amount.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0')) && quantity(string(self)).compareTo(quantity('2147483647')) <= 0",message="demand.maxTotalCPU must be a CPU quantity above 0 and at most 2147483647, such as 8 or 7500m"
	MaxTotalCPU *intstr.IntOrString `json:"maxTotalCPU,omitempty"`
	// The maximum number of replicas, 1 to 10,000. When absent: 10,000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MaxReplicas *int32 `json:"maxReplicas,omitempty"`
	// How many replicas can be down, because a node fails or a pod is replaced, while the
	// others still serve loginsPerSecond (without headroom) within the objective, 0 to 3.
	// By default 0: then only the headroom makes up for a replica that is down.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3
	SurviveReplicas *int32 `json:"surviveReplicas,omitempty"`
	// How the recommended size is verified before the experiment ends: it is deployed and
	// driven at the demanded rate. Replica (the default) drives one replica at its share of
	// the rate, Full drives all replicas at the whole rate, both with surviveReplicas
	// fewer. Headroom drives one replica at its share of the rate with headroomPercent, so that
	// the verification shows the headroom too; a size that is near its capacity fails it more
	// often. All three drive new pods. Same takes the load that decided about the size for its
	// verification, only with matrix.measure: Decision; it is Replica if that load failed, or was
	// at less than the size's share. None does not verify. A
	// verification counts logins for at most ten minutes. If the size fails, the next best
	// size is verified, once. Full falls back to Replica if it takes more than ten replicas
	// or more load than one generator can drive. The confidence is High only if the
	// recommended size met the objective.
	// +optional
	// +kubebuilder:default=Replica
	Verify Verify `json:"verify,omitempty"`
}

// MilliPerSecond returns loginsPerSecond times 1000. It is 0 for a rate that the schema refuses.
func (d *Demand) MilliPerSecond() int64 {
	const most = 1_000_000 * 1000
	rate, err := resource.ParseQuantity(d.LoginsPerSecond.String())
	if err != nil || rate.Sign() < 0 || rate.MilliValue() > most {
		return 0
	}
	return rate.MilliValue()
}

// Verify is how a recommended size is verified.
// +kubebuilder:validation:Enum=None;Same;Replica;Headroom;Full
type Verify string

const (
	// VerifyNone does not verify the recommended size.
	VerifyNone Verify = "None"
	// VerifySame takes the load that decided about the size for its verification. It is Replica
	// if that load failed, or was at less than the size's share of the demanded rate.
	VerifySame Verify = "Same"
	// VerifyReplica drives one replica at its share of the demanded rate.
	VerifyReplica Verify = "Replica"
	// VerifyHeadroom drives one replica at its share of the demanded rate with headroom.
	VerifyHeadroom Verify = "Headroom"
	// VerifyFull drives all replicas at the demanded rate.
	VerifyFull Verify = "Full"
)

// Prices is what CPUs, memory and an attacker's GPUs cost.
type Prices struct {
	// The currency of all prices, three letters. By default USD.
	// +optional
	// +kubebuilder:default=USD
	// +kubebuilder:validation:Pattern=`^[A-Z]{3}$`
	// +kubebuilder:validation:MaxLength=3
	Currency string `json:"currency,omitempty"`
	// The price of one CPU for one hour, such as 1; a decimal needs quotes, such as "0.04".
	// When absent: only node pools with their own perCPUHour have a price. Not with load.users, nor
	// if every node pool has its own.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="string(self).matches('^[0-9]+([.][0-9]+)?$') && (type(self) == string || self <= 2147483647)",message="prices.perCPUHour must be 0 or more: a whole number up to 2147483647, or a decimal in quotes, such as \"0.04\""
	PerCPUHour *intstr.IntOrString `json:"perCPUHour,omitempty"`
	// The price of one GiB of memory for one hour, such as 1; a decimal needs quotes, such as
	// "0.005". A replica is charged for service.memoryLimit, or with service.own for its
	// recommended memory limit, if its memory was measured. Only with a perCPUHour. When
	// absent: memory is free.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="string(self).matches('^[0-9]+([.][0-9]+)?$') && (type(self) == string || self <= 2147483647)",message="prices.perGiBHour must be 0 or more: a whole number up to 2147483647, or a decimal in quotes, such as \"0.04\""
	PerGiBHour *intstr.IntOrString `json:"perGiBHour,omitempty"`
	// The price that an attacker pays to rent one GPU for one hour, such as 1; a decimal needs
	// quotes, such as "0.80". docs/method.md says how to compute it for a GPU that the attacker
	// owns. When absent: 0.80 if the currency is USD (a rented RTX 5090 in 2026), and in other
	// currencies no price of an attack is reported.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="string(self).matches('^[0-9]+([.][0-9]+)?$') && (type(self) == string || self <= 2147483647)",message="prices.gpuHour must be 0 or more: a whole number up to 2147483647, or a decimal in quotes, such as \"0.04\""
	GPUHour *intstr.IntOrString `json:"gpuHour,omitempty"`
	// How many guesses per second such a GPU makes at bcrypt cost 10. Each increment of the cost
	// halves it. By default 10000, which is near what an RTX 5090 makes. For other hashes, see
	// guessesPerSecond in matrix.hashes.
	// +optional
	// +kubebuilder:default=10000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	GuessesPerSecondAtCost10 *int64 `json:"guessesPerSecondAtCost10,omitempty"`
}
