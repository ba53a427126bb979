package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SizingTrial is one measurement of one variant of an experiment. The operator writes it,
// and acts only on trials that an existing experiment planned.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=szt,categories=hashmark
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Cost",type=integer,JSONPath=`.spec.variant.hash.bcrypt.cost`
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.spec.variant.cpuLimit`
// +kubebuilder:printcolumn:name="Concurrency",type=string,JSONPath=`.status.display.concurrency`
// +kubebuilder:printcolumn:name="Rate",type=string,JSONPath=`.status.display.rate`
// +kubebuilder:printcolumn:name="P95",type=string,JSONPath=`.status.display.p95`
// +kubebuilder:printcolumn:name="Capacity",type=string,JSONPath=`.status.display.capacity`
// +kubebuilder:printcolumn:name="Throughput",type=string,JSONPath=`.status.display.throughput`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.display.verdict`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="P50",type=string,priority=1,JSONPath=`.status.display.p50`
// +kubebuilder:printcolumn:name="P99",type=string,priority=1,JSONPath=`.status.display.p99`
// +kubebuilder:printcolumn:name="Hash",type=string,priority=1,JSONPath=`.status.display.hash`
// +kubebuilder:printcolumn:name="Role",type=string,priority=1,JSONPath=`.spec.role`
// +kubebuilder:printcolumn:name="Pool",type=string,priority=1,JSONPath=`.spec.variant.nodePool.name`
// +kubebuilder:printcolumn:name="Node",type=string,priority=1,JSONPath=`.status.display.node`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.display.reason`
type SizingTrial struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is measured, copied from the experiment's plan.
	Spec SizingTrialSpec `json:"spec"`
	// What was measured, and how far it can be trusted. The default is that of a trial that waits
	// for its turn, so that nothing is written until the trial begins.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1,"phase":"Pending","reason":"WaitingForTurn","display":{"reason":"WaitingForTurn"}}
	Status SizingTrialStatus `json:"status,omitzero"`
}

// SizingTrialList is a list of trials.
// +kubebuilder:object:root=true
type SizingTrialList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SizingTrial `json:"items"`
}

// Role is what a trial is for.
// +kubebuilder:validation:Enum=Calibration;Decision;Measurement;Verification
type Role string

const (
	// RoleCalibration trials time the hashes of a node pool, and drive no load.
	RoleCalibration Role = "Calibration"
	// RoleDecision trials measure a variant that can be recommended. If no verification follows, they
	// drive it at its share of the demanded rate.
	RoleDecision Role = "Decision"
	// RoleMeasurement trials measure a variant of the matrix.
	RoleMeasurement Role = "Measurement"
	// RoleVerification trials drive the recommended size at the demanded rate.
	RoleVerification Role = "Verification"
)

// TimesAgain reports whether an earlier trial timed the hashes of the node pool, so that less time for that is enough. A
// verification has no saturation, and so needs the whole time to tell drift from hashes that are slower under load.
func (s *SizingTrialSpec) TimesAgain() bool { return s.Role == RoleDecision }

// StopsEarly reports whether the logins of a trial's last rate are checked against the objective while it is driven,
// and the load ends once they decide.
func (s *SizingTrialSpec) StopsEarly() bool {
	return s.Role == RoleVerification || s.Role == RoleDecision && s.OfferedMilliPerSecond != nil
}

// SizingTrialSpec is the plan of one trial.
//
// +kubebuilder:validation:XValidation:rule="self.role == oldSelf.role && self.variant == oldSelf.variant && self.repetition == oldSelf.repetition && self.sequence == oldSelf.sequence && self.load == oldSelf.load && self.objective == oldSelf.objective && self.service == oldSelf.service && self.seed == oldSelf.seed && self.attempts == oldSelf.attempts && has(self.offeredMilliPerSecond) == has(oldSelf.offeredMilliPerSecond) && (!has(self.offeredMilliPerSecond) || self.offeredMilliPerSecond == oldSelf.offeredMilliPerSecond)",message="a trial's plan can't be changed; create a new experiment"
// +kubebuilder:validation:XValidation:rule="has(self.generator) == has(oldSelf.generator) && (!has(self.generator) || self.generator == oldSelf.generator)",message="a trial's generator can't be changed; create a new experiment"
// +kubebuilder:validation:XValidation:rule="has(self.service.own) || !(has(self.variant.hash.argon2id) || has(self.variant.hash.scrypt)) || (self.variant.concurrency.mode == 'WorkerPool' && has(self.variant.concurrency.workers) && isQuantity(string(self.service.memoryLimit)) && quantity(string(self.service.memoryLimit)).isInteger() && quantity(string(self.service.memoryLimit)).asInteger() >= 67108864 + 1024 * (has(self.variant.hash.argon2id) ? self.variant.hash.argon2id.memoryKiB : self.variant.hash.scrypt.memoryKiB) * self.variant.concurrency.workers)",message="argon2id and scrypt require mode: WorkerPool with workers, and a service.memoryLimit of at least 64Mi + memoryKiB x workers"
type SizingTrialSpec struct {
	// What the trial is for: Measurement (the default) of a variant of the matrix,
	// Verification of the recommended size, or with matrix.measure: Decision the Calibration of
	// a node pool and the Decision about a variant that can be recommended.
	// +kubebuilder:default=Measurement
	Role Role `json:"role,omitempty"`
	// The rate of all replicas, times 1000, at which a Decision drives the variant after it has
	// saturated it, until the logins decide. Absent in other trials, and if a verification follows:
	// the variant is then driven at 70 % of what its CPU can serve, and saturated.
	// +optional
	// +kubebuilder:validation:Minimum=1
	OfferedMilliPerSecond *int64 `json:"offeredMilliPerSecond,omitempty"`
	// What is deployed and measured.
	Variant Variant `json:"variant"`
	// The number of the variant's repetition, from 1 to 10; for a verification, 1 or 2.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Repetition int32 `json:"repetition"`
	// The trial's position in the experiment's order, from 1 to 642: 640 measurements and
	// two verifications.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=642
	Sequence int32 `json:"sequence"`
	// The login service that is deployed.
	// +kubebuilder:default={}
	Service Service `json:"service,omitempty"`
	// The pod that drives the load.
	// +optional
	Generator Generator `json:"generator,omitempty"`
	// The load that the login service is driven with: one of capacity, rates and users. When
	// all three are absent: capacity.
	// +kubebuilder:default={stepSeconds: 10}
	Load Load `json:"load,omitempty"`
	// The objective that a step must meet.
	Objective Objective `json:"objective"`
	// The experiment's seed, from which the arrivals are drawn.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=4294967295
	Seed int64 `json:"seed"`
	// The maximum number of attempts to run the trial, 1 to 5.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	Attempts int32 `json:"attempts"`
	// True until it is the trial's turn, and again while the experiment is suspended or
	// cancelled.
	Suspend bool `json:"suspend"`
}
