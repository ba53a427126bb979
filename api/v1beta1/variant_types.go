package v1beta1

import "k8s.io/apimachinery/pkg/util/intstr"

// Algorithm is a way to hash a password.
// +kubebuilder:validation:Enum=Bcrypt;Argon2id;Scrypt;PBKDF2;SHA256
type Algorithm string

const (
	// AlgorithmBcrypt is bcrypt as golang.org/x/crypto/bcrypt computes it.
	AlgorithmBcrypt Algorithm = "Bcrypt"
	// AlgorithmArgon2id is Argon2id as golang.org/x/crypto/argon2 computes it.
	AlgorithmArgon2id Algorithm = "Argon2id"
	// AlgorithmScrypt is scrypt as golang.org/x/crypto/scrypt computes it, with
	// blocks of 1 KiB (r = 8), so that N is the memory in KiB.
	AlgorithmScrypt Algorithm = "Scrypt"
	// AlgorithmPBKDF2 is PBKDF2 with HMAC-SHA-256, as crypto/pbkdf2 computes it.
	AlgorithmPBKDF2 Algorithm = "PBKDF2"
	// AlgorithmSHA256 is one salted SHA-256: deliberately cheap, to show what is left of a
	// login when hashing costs nothing. Never store passwords this way.
	AlgorithmSHA256 Algorithm = "SHA256"
)

// ConcurrencyMode is how a login service handles several logins at once.
// +kubebuilder:validation:Enum=Unbounded;WorkerPool
type ConcurrencyMode string

const (
	// ConcurrencyUnbounded hashes every request at once, each in its own goroutine.
	ConcurrencyUnbounded ConcurrencyMode = "Unbounded"
	// ConcurrencyWorkerPool hashes with a fixed number of workers behind a bounded
	// queue.
	ConcurrencyWorkerPool ConcurrencyMode = "WorkerPool"
)

// Concurrency is one way of handling several logins at once. Name two or more to compare
// them, for example {mode: Unbounded} and {mode: WorkerPool, workers: 1, queueLength: 64}.
//
// +kubebuilder:validation:XValidation:rule="self.mode == 'WorkerPool' || (!has(self.workers) && !has(self.queueLength))",message="workers and queueLength are for mode: WorkerPool only; remove them, or change the mode"
type Concurrency struct {
	// Unbounded hashes every request at once, each in its own goroutine: simple, and the
	// slowest at the tail, because all logins share the CPU. WorkerPool hashes first come,
	// first served, with `workers` at a time and `queueLength` waiting; a full queue
	// answers 503 with Retry-After.
	Mode ConcurrencyMode `json:"mode"`

	// How many hashes are computed at a time, 1 to 64. Only with WorkerPool.
	// When absent: the CPU limit rounded up to whole CPUs.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Workers *int32 `json:"workers,omitempty"`

	// How many logins can wait for a worker, 1 to 10,000. Only with WorkerPool. When
	// absent: what the calibrated service can serve in half the request timeout, at least 1
	// and at most 1,024.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	QueueLength *int32 `json:"queueLength,omitempty"`
}

// Toleration lets a login service run on nodes that have a matching taint. The rules are
// those that Kubernetes has for pods: without them an experiment would be accepted, but its
// pods would be refused.
//
// +kubebuilder:validation:XValidation:rule="self.operator != 'Exists' || !has(self.value) || size(self.value) == 0",message="a toleration with operator: Exists can't have a value; remove the value, or use operator: Equal"
// +kubebuilder:validation:XValidation:rule="self.operator == 'Exists' || (has(self.key) && size(self.key) > 0)",message="a toleration without a key requires operator: Exists, to tolerate every taint; set the operator, or set a key"
type Toleration struct {
	// The taint's key. When absent, with operator Exists: every taint.
	// +optional
	// +kubebuilder:validation:MaxLength=316
	Key string `json:"key,omitempty"`
	// Equal compares the value, Exists does not. By default Equal.
	// +optional
	// +kubebuilder:validation:Enum=Equal;Exists
	// +kubebuilder:default=Equal
	Operator string `json:"operator,omitempty"`
	// The taint's value, with operator Equal.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Value string `json:"value,omitempty"`
	// The taint's effect. When absent: every effect.
	// +optional
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	Effect string `json:"effect,omitempty"`
}

// NodePool is a set of nodes on which the whole matrix is measured, for example
// {name: small, nodeSelector: {example.com/pool: small}}.
type NodePool struct {
	// A short name that becomes part of the variants' names: lower-case letters,
	// digits and dashes, at most 16 characters.
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$`
	Name string `json:"name"`

	// Labels that a node must have for the login service to run there. When absent: any
	// node.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 316 && size(self[k]) <= 63)",message="a nodeSelector's keys can have at most 316 characters and its values at most 63, like node labels; shorten them"
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// Taints that the login service tolerates. When absent: none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Tolerations []Toleration `json:"tolerations,omitempty"`

	// The price of one CPU for one hour on this pool, such as 1; a decimal needs quotes, such
	// as "0.0525". Only with prices. When absent: prices.perCPUHour.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="string(self).matches('^[0-9]+([.][0-9]+)?$') && (type(self) == string || self <= 2147483647)",message="a node pool's perCPUHour must be 0 or more: a whole number up to 2147483647, or a decimal in quotes, such as \"0.04\""
	PerCPUHour *intstr.IntOrString `json:"perCPUHour,omitempty"`
}

// LabelValue is the value of a label.
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
type LabelValue string

// Variant is one point of the matrix: what is deployed and measured.
// +kubebuilder:validation:XValidation:rule="self.algorithm != 'Bcrypt' || (has(self.cost) && self.cost >= 4 && self.cost <= 16)",message="cost must be between 4 and 16: each increment doubles the time of a hash, and one hash at cost 31 takes a day and a half"
// +kubebuilder:validation:XValidation:rule="self.algorithm == 'Bcrypt' || !has(self.cost)",message="cost is for Bcrypt only; remove it, or change the algorithm"
// +kubebuilder:validation:XValidation:rule="(self.algorithm in ['Argon2id', 'Scrypt']) == has(self.memoryKiB) && has(self.memoryKiB) == has(self.parallelism) && (self.algorithm in ['Argon2id', 'PBKDF2']) == has(self.iterations)",message="Argon2id requires memoryKiB, iterations and parallelism; Scrypt requires memoryKiB and parallelism; PBKDF2 requires iterations; other algorithms allow none of them"
// +kubebuilder:validation:XValidation:rule="!has(self.iterations) || (self.algorithm == 'Argon2id' ? self.iterations <= 64 : self.algorithm == 'PBKDF2' && self.iterations >= 1000)",message="iterations is for Argon2id (1 to 64) and PBKDF2 (1,000 to 10,000,000) only; change it, or remove it"
// +kubebuilder:validation:XValidation:rule="self.algorithm != 'Scrypt' || !has(self.memoryKiB) || self.memoryKiB in [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304]",message="memoryKiB must be a power of two with Scrypt, such as 65536 or 131072"
// +kubebuilder:validation:XValidation:rule="self.algorithm != 'Argon2id' || !has(self.memoryKiB) || self.memoryKiB >= 8 * (has(self.parallelism) ? self.parallelism : 1)",message="Argon2id needs 8 KiB of memory for each lane; raise memoryKiB, or lower parallelism"
// +kubebuilder:validation:XValidation:rule="isQuantity(self.cpuLimit) && quantity(self.cpuLimit).compareTo(quantity('10m')) >= 0 && quantity(self.cpuLimit).compareTo(quantity('64')) <= 0",message="cpuLimit must be a CPU quantity of at least 10m and at most 64, such as 250m or 1"
type Variant struct {
	// The variant's name, unique within its experiment, such as c10-500m.
	// +kubebuilder:validation:MaxLength=52
	Name string `json:"name"`
	// How passwords are hashed. By default Bcrypt.
	// +kubebuilder:default=Bcrypt
	Algorithm Algorithm `json:"algorithm"`
	// The bcrypt cost, 4 to 16: 2^cost rounds of key expansion. Only with Bcrypt.
	// +optional
	Cost int32 `json:"cost,omitempty"`
	// The memory of one hash, in KiB, 8 to 4,194,304; with Scrypt a power of two.
	// Only with Argon2id and Scrypt.
	// +optional
	// +kubebuilder:validation:Minimum=8
	// +kubebuilder:validation:Maximum=4194304
	MemoryKiB *int32 `json:"memoryKiB,omitempty"`
	// With Argon2id the passes over the memory, 1 to 64; with PBKDF2 the rounds, 1,000 to
	// 10,000,000. Only with these.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Iterations *int32 `json:"iterations,omitempty"`
	// The lanes of one hash, 1 to 64. Only with Argon2id and Scrypt.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Parallelism *int32 `json:"parallelism,omitempty"`
	// True if only a caller's first login hashes, and its later requests carry a cookie.
	// +optional
	Sessions bool `json:"sessions,omitempty"`
	// The name of the control that this variant comes from; absent if it comes from
	// matrix.costs.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Control string `json:"control,omitempty"`
	// The CPU limit of the login service's container, as written in the experiment.
	// +kubebuilder:validation:MaxLength=16
	CPULimit string `json:"cpuLimit"`
	// How the service handles several logins at once.
	Concurrency Concurrency `json:"concurrency"`
	// Where the service runs. When absent: on any node.
	// +optional
	NodePool *NodePool `json:"nodePool,omitempty"`
}
