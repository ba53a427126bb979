package v1beta1

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// LoadMode is the kind of load that a variant is put under.
type LoadMode string

const (
	// LoadCapacity finds the highest rate that meets the objective.
	LoadCapacity LoadMode = "Capacity"
	// LoadRates holds each of the given rates: an open model.
	LoadRates LoadMode = "Rates"
	// LoadUsers holds each of the given numbers of users: a closed model.
	LoadUsers LoadMode = "Users"
)

// Arrivals is how logins are spread over a step's time.
// +kubebuilder:validation:Enum=Poisson;Uniform
type Arrivals string

const (
	// ArrivalsPoisson lets logins arrive at random, as those of independent people do.
	ArrivalsPoisson Arrivals = "Poisson"
	// ArrivalsUniform spaces logins evenly, which hides queueing.
	ArrivalsUniform Arrivals = "Uniform"
)

// What a load does if it does not say. These are not defaults of the schema, because a load
// without capacity has none of its fields, and means the same as one with capacity: {}.
const (
	defaultArrivals             = ArrivalsPoisson
	defaultMinSamples     int32 = 100
	defaultMaxStepSeconds int32 = 120
	defaultWarmupSeconds  int32 = 5 // as in the schema
)

// Load is the load that the login service is driven with: one of capacity, rates and users.
// When all are absent: capacity.
//
// +kubebuilder:validation:XValidation:rule="[has(self.capacity), has(self.rates), has(self.users)].filter(given, given).size() <= 1",message="a load is one of capacity, rates and users; keep one of them and remove the others"
// +kubebuilder:validation:XValidation:rule="has(self.rates) || has(self.users) || self.stepSeconds <= (has(self.capacity) && has(self.capacity.maxStepSeconds) ? self.capacity.maxStepSeconds : 120)",message="stepSeconds is above capacity.maxStepSeconds, which is 120 by default; lower stepSeconds or raise capacity.maxStepSeconds"
// +kubebuilder:validation:XValidation:rule="!has(self.rates) || !self.rates.perSecond.all(r, type(r) == int || string(r).matches('^[0-9]+([.][0-9]{1,3})?$')) || self.rates.perSecond.all(r, double(r) > 2000.0 || double(r) * double(self.requestTimeoutSeconds) <= 2000.0)",message="a rate times requestTimeoutSeconds must be at most 2,000 callers; lower the rate or the timeout"
// +kubebuilder:validation:XValidation:rule="!has(self.rates) || !self.rates.perSecond.all(r, type(r) == int || string(r).matches('^[0-9]+([.][0-9]{1,3})?$')) || self.rates.perSecond.all(r, double(r) <= 0.0 || double(r) * double(self.stepSeconds) >= 1.0)",message="a rate times stepSeconds must be at least one login; raise the rate or stepSeconds"
type Load struct {
	// Finds the highest login rate at which the variant meets the objective, and its maximum
	// throughput. Not with rates or users. When all three are absent: capacity with its
	// defaults.
	// +optional
	Capacity *CapacityLoad `json:"capacity,omitempty"`

	// Holds each of the given login rates for stepSeconds, whether or not the service keeps up
	// (an open model, like real logins). Not with capacity or users.
	// +optional
	Rates *RatesLoad `json:"rates,omitempty"`

	// Holds each of the given numbers of users for stepSeconds; each user logs in again once
	// answered (a closed model). Not with capacity or rates.
	// +optional
	Users *UsersLoad `json:"users,omitempty"`

	// How long the counted part of a step lasts, in seconds, 1 to 1,800: exactly with rates
	// and users, at least with capacity. By default 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1800
	StepSeconds int32 `json:"stepSeconds,omitempty"`

	// For at least how long the service is driven before anything is counted, in seconds, 0 to
	// 600. By default 5. With 0 and users each step counts from its first login on, which shows the
	// first seconds of a service.
	// +optional
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=600
	WarmupSeconds *int32 `json:"warmupSeconds,omitempty"`

	// How many seconds a caller waits for a complete answer before it gives up, 1 to 60. By
	// default 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60
	RequestTimeoutSeconds int32 `json:"requestTimeoutSeconds,omitempty"`
}

// CapacityLoad searches for the capacity of a variant.
type CapacityLoad struct {
	// How many logins a step should count: the step continues until it has offered that
	// many, within maxStepSeconds. From 20 to 100,000. When absent: 100.
	// +optional
	// +kubebuilder:validation:Minimum=20
	// +kubebuilder:validation:Maximum=100000
	MinSamples *int32 `json:"minSamples,omitempty"`

	// The maximum length of the counted part of a step, in seconds, 1 to 1,800, and at least
	// stepSeconds. When absent: 120.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1800
	MaxStepSeconds *int32 `json:"maxStepSeconds,omitempty"`

	// Poisson lets logins arrive at random, from a seeded schedule that is the same for
	// every variant. Uniform spaces them evenly, which hides queueing and makes p95 look
	// too low. When absent: Poisson.
	// +optional
	Arrivals *Arrivals `json:"arrivals,omitempty"`
}

// RatesLoad holds login rates, one step each.
type RatesLoad struct {
	// The login rates to hold, in logins per second, in ascending order; whole numbers, or
	// strings such as "0.5" with up to three decimals. Above 0 and at most 2,000. At most 20.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:XIntOrString
	// +kubebuilder:validation:items:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.all(r, type(r) == int || string(r).matches('^[0-9]+([.][0-9]{1,3})?$'))",message="each rate must be a whole number or a string with up to three decimals, such as \"0.5\""
	// +kubebuilder:validation:XValidation:rule="!self.all(r, type(r) == int || string(r).matches('^[0-9]+([.][0-9]{1,3})?$')) || self.all(r, double(r) > 0.0 && double(r) <= 2000.0)",message="each rate must be above 0 and at most 2,000 logins per second"
	// +kubebuilder:validation:XValidation:rule="!self.all(r, type(r) == int || string(r).matches('^[0-9]+([.][0-9]{1,3})?$')) || self.map(r, double(r)).isSorted() && self.all(r, self.exists_one(o, double(o) == double(r)))",message="rates must be in ascending order; sort perSecond and remove duplicates"
	PerSecond []intstr.IntOrString `json:"perSecond"`

	// How logins arrive, as in capacity: Poisson or Uniform. When absent: Poisson.
	// +optional
	Arrivals *Arrivals `json:"arrivals,omitempty"`
}

// UsersLoad keeps numbers of users busy, one step each.
type UsersLoad struct {
	// The numbers of users to hold, in ascending order, 1 to 2,000. At most 20.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=2000
	// +kubebuilder:validation:XValidation:rule="self.isSorted() && self.all(u, self.exists_one(o, o == u))",message="numbers of users must be in ascending order; sort counts and remove duplicates"
	Counts []int32 `json:"counts"`
}

// Mode returns which of its members the load has.
func (l *Load) Mode() LoadMode {
	switch {
	case l.Rates != nil:
		return LoadRates
	case l.Users != nil:
		return LoadUsers
	default:
		return LoadCapacity
	}
}

// Arrivals returns how logins arrive in steps with a rate. With users, that is the warm-up.
func (l *Load) Arrivals() Arrivals {
	switch {
	case l.Rates != nil:
		return valueOr(l.Rates.Arrivals, defaultArrivals)
	case l.Capacity != nil:
		return valueOr(l.Capacity.Arrivals, defaultArrivals)
	default:
		return defaultArrivals
	}
}

// Warmup returns for at least how long the service is loaded before anything is counted, in whole seconds.
func (l *Load) Warmup() time.Duration {
	return time.Duration(valueOr(l.WarmupSeconds, defaultWarmupSeconds)) * time.Second
}

// MinSamples returns how many logins a step of capacity should count.
func (l *Load) MinSamples() int32 {
	return valueOr(valueOr(l.Capacity, CapacityLoad{}).MinSamples, defaultMinSamples)
}

// MaxStepSeconds returns the maximum length of the counted part of a step of capacity.
func (l *Load) MaxStepSeconds() int32 {
	return valueOr(valueOr(l.Capacity, CapacityLoad{}).MaxStepSeconds, defaultMaxStepSeconds)
}

// valueOr is ptr.Deref, without a module besides apimachinery.
func valueOr[T any](pointer *T, absent T) T {
	if pointer == nil {
		return absent
	}
	return *pointer
}

// DefaultMaxErrorPerMille is objective.maxErrorPerMille if it is absent, as in the schema.
const DefaultMaxErrorPerMille = 10

// Objective is what a variant must meet at a rate for the rate to count as served: all of
// the percentiles, and the share of logins that can fail.
//
// +kubebuilder:validation:XValidation:rule="!has(self.p50Milliseconds) || self.p50Milliseconds <= self.p95Milliseconds",message="objective.p50Milliseconds is above p95Milliseconds, but the median is never above p95; lower it, or remove it"
// +kubebuilder:validation:XValidation:rule="!has(self.p99Milliseconds) || self.p99Milliseconds >= self.p95Milliseconds",message="objective.p99Milliseconds is below p95Milliseconds, but p99 is never below p95; raise it, or lower p95Milliseconds"
type Objective struct {
	// The maximum median of login latency, in milliseconds, measured as p95Milliseconds is.
	// 1 to 60,000. When absent: any. A step needs 20 logins to decide it.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60000
	P50Milliseconds *int32 `json:"p50Milliseconds,omitempty"`
	// The maximum 95th percentile of login latency, in milliseconds, from a login's due
	// time to its complete 200 answer (with load.users: from sending). A failed login
	// counts as slower than every success. 1 to 60,000, and at most
	// load.requestTimeoutSeconds, after which a login fails.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60000
	P95Milliseconds int32 `json:"p95Milliseconds"`
	// The maximum 99th percentile of login latency, in milliseconds, measured as
	// p95Milliseconds is. 1 to 60,000, at least p95Milliseconds. When absent: any. A step
	// needs 368 logins to decide it: 0.99^368 is the first below 2.5 %.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=60000
	P99Milliseconds *int32 `json:"p99Milliseconds,omitempty"`

	// How many of a thousand logins can fail, 0 to 50. By default 10. A step meets this only
	// if its logins, and those of faster steps, show it with 95 % confidence. Without a
	// failure that takes 2,995 logins for 1, 598 for 5, 299 for 10, 149 for 20 and 59 for
	// 50; with fewer the step is Undecided. 0 is met as long as no login fails. The
	// capacity follows from the latencies, and the verification of the recommended size
	// counts failures.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=50
	MaxErrorPerMille *int32 `json:"maxErrorPerMille,omitempty"`
}

// Handshakes is how often callers of a login service connect.
// +kubebuilder:validation:Enum=EachLogin;EachCaller
type Handshakes string

const (
	// HandshakesEachLogin opens a connection for each login, as people do who log in once.
	HandshakesEachLogin Handshakes = "EachLogin"
	// HandshakesEachCaller keeps the connection of a caller for its next login, as a proxy does.
	HandshakesEachCaller Handshakes = "EachCaller"
)

// TLS is how logins are encrypted: TLS 1.3, with a certificate that each pod makes when it
// starts, with a key on the curve P-256. Its callers don't verify it.
type TLS struct {
	// EachLogin opens a connection with a full handshake for each login, as people do who log
	// in once. EachCaller keeps the connection of each of k6's virtual users for its next
	// login, as a proxy does that encrypts again behind itself. Not with several replicas,
	// because logins of one connection reach only one of them. By default EachLogin.
	// +kubebuilder:default=EachLogin
	Handshakes Handshakes `json:"handshakes,omitempty"`
}

// Builtin says how Hashmark's own login service is deployed.
type Builtin struct {
	// Encrypts the logins. The price of encryption is in the CPU time per login, and so in the
	// maximum, and in the generator's CPU usage. When absent: plain HTTP, and callers keep their
	// connections, except with several replicas.
	// +optional
	TLS *TLS `json:"tls,omitempty"`
}

// Service is the login service that is deployed for a variant.
//
// +kubebuilder:validation:XValidation:rule="!has(self.builtin) || !has(self.own)",message="service has both builtin, which is Hashmark's login service, and own, which is yours; remove one of them"
// +kubebuilder:validation:XValidation:rule="self.replicas <= 1 || !has(self.builtin) || !has(self.builtin.tls) || self.builtin.tls.handshakes != 'EachCaller'",message="service.builtin.tls.handshakes EachCaller has no effect with several replicas, because each login opens its own connection then; use EachLogin, or replicas: 1"
type Service struct {
	// How many pods share the load behind one Kubernetes Service, 1 to 10. By default 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Replicas int32 `json:"replicas,omitempty"`

	// Hashmark's own login service. Not with own. When absent, without own: Hashmark's with its
	// defaults.
	// +optional
	Builtin *Builtin `json:"builtin,omitempty"`

	// A login service of your own, instead of Hashmark's, if the operator admits its image. The
	// matrix then must have only costs and hashes with bcrypt or other, and a concurrency, which says how the service works by
	// itself: WorkerPool if it computes a fixed number of logins at a time, and Unbounded if as many
	// as arrive. In command, args, and the values of env and of files, $(NAME) stands for one of
	// HASHMARK_COST, HASHMARK_WORKERS (0 with Unbounded), HASHMARK_CPU_MILLI (the CPU limit in
	// thousandths of a CPU), HASHMARK_USER, HASHMARK_PASSWORD and HASHMARK_PASSWORD_HASH (a bcrypt
	// hash of the password at the variant's cost), and $$ for a single $. With several costs,
	// HASHMARK_COST or HASHMARK_PASSWORD_HASH must be used; with other, neither can be.
	// +optional
	Own *OwnService `json:"own,omitempty"`

	// The memory limit of each pod's container, a quantity from 32Mi to 64Gi; a decimal needs
	// a unit, such as 1.5Gi. By default 128Mi.
	// +optional
	// +kubebuilder:default="128Mi"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('32Mi')) >= 0 && quantity(string(self)).compareTo(quantity('64Gi')) <= 0 && (type(self) == string || self <= 2147483647)",message="service.memoryLimit must be a quantity from 32Mi to 64Gi, such as 128Mi, and above 2147483647 it needs a unit"
	MemoryLimit *intstr.IntOrString `json:"memoryLimit,omitempty"`
}

// Generator is the pod that drives a login service with k6.
type Generator struct {
	// The CPU limit of the generator, a quantity above 0 and at most 64, such as 500m or 1; a
	// decimal needs quotes, such as "0.5". When absent: the operator's generator.cpuLimit.
	// If it is too small, the trial is Invalid.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0')) && quantity(string(self)).compareTo(quantity('64')) <= 0",message="generator.cpuLimit must be a CPU quantity above 0 and at most 64, such as 500m or 1"
	CPULimit *intstr.IntOrString `json:"cpuLimit,omitempty"`
}
