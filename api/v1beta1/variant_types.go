package v1beta1

import "k8s.io/apimachinery/pkg/util/intstr"

// ConcurrencyMode is how a login service handles several logins at once.
// +kubebuilder:validation:Enum=Unbounded;WorkerPool
type ConcurrencyMode string

const (
	// ConcurrencyUnbounded hashes every request at once.
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
	// Unbounded hashes every request at once: simple, and the
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
// +kubebuilder:validation:XValidation:rule="isQuantity(self.cpuLimit) && quantity(self.cpuLimit).compareTo(quantity('10m')) >= 0 && quantity(self.cpuLimit).compareTo(quantity('64')) <= 0",message="cpuLimit must be a CPU quantity of at least 10m and at most 64, such as 250m or 1"
type Variant struct {
	// The variant's name, unique within its experiment, such as c10-500m.
	// +kubebuilder:validation:MaxLength=52
	Name string `json:"name"`
	// How logins are checked. Its name is "" if it comes from matrix.costs.
	Hash Hash `json:"hash"`
	// The CPU limit of the login service's container, as written in the experiment.
	// +kubebuilder:validation:MaxLength=16
	CPULimit string `json:"cpuLimit"`
	// How the service handles several logins at once.
	Concurrency Concurrency `json:"concurrency"`
	// Where the service runs. When absent: on any node.
	// +optional
	NodePool *NodePool `json:"nodePool,omitempty"`
}
