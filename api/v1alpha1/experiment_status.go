package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ExperimentPhase is where an experiment stands, in a word.
// +kubebuilder:validation:Enum=Pending;Queued;Running;Suspended;Succeeded;Failed;Cancelled
type ExperimentPhase string

// The phases of an experiment. The last three are ends.
const (
	ExperimentPending   ExperimentPhase = "Pending"
	ExperimentQueued    ExperimentPhase = "Queued"
	ExperimentRunning   ExperimentPhase = "Running"
	ExperimentSuspended ExperimentPhase = "Suspended"
	ExperimentSucceeded ExperimentPhase = "Succeeded"
	ExperimentFailed    ExperimentPhase = "Failed"
	ExperimentCancelled ExperimentPhase = "Cancelled"
)

// Finished tells whether the phase is an end.
func (p ExperimentPhase) Finished() bool {
	return p == ExperimentSucceeded || p == ExperimentFailed || p == ExperimentCancelled
}

// SizingExperimentStatus is the answer, as far as it is known.
type SizingExperimentStatus struct {
	// The generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// What the order and the arrivals are drawn from: the spec's seed, or the one
	// that was drawn.
	// +optional
	Seed *int64 `json:"seed,omitempty"`
	// Where the experiment stands: Pending, Queued (it waits for its turn),
	// Running or Suspended; or how it ended: Succeeded (every variant has a
	// verdict, and one at least is Valid or Suspect), Failed or Cancelled.
	// +optional
	Phase ExperimentPhase `json:"phase,omitempty"`
	// When its first trial began.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// When it ended, in whichever way.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// Accepted (the question can be measured), Progressing (trials run or wait),
	// Complete (it succeeded), Failed, and Finished (it ended, in whichever way).
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// How far it has come.
	// +optional
	Progress *Progress `json:"progress,omitempty"`
	// The reference speed of the CPUs, for each node pool, once a trial was
	// measured there. The CPU of an ordinary machine is up to a tenth faster or
	// slower from one moment to the next; rows are converted to this one speed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Speed []PoolSpeed `json:"speed,omitempty"`
	// A row for each variant, from acceptance on, at the reference speed. A number
	// that was not measured is absent, never 0.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	Results []VariantResult `json:"results,omitempty"`
	// How long a hash takes, for each cost and control on each node pool.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	HashTimes []HashTime `json:"hashTimes,omitempty"`
	// How the time of a hash grows with bcrypt's cost, a line for each node pool
	// with two costs or more.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	CostFits []CostFit `json:"costFits,omitempty"`
	// How far two measurements of the same thing lie apart; absent unless the
	// matrix holds a pair of variants that differ in nothing but their names, as a
	// control of a cost that matrix.costs names too.
	// +optional
	NoiseFloor *NoiseFloor `json:"noiseFloor,omitempty"`
	// What the model expects of variants that were not measured, from the end of
	// the experiment on: those that measure: Corners left out, then costs and CPU
	// limits between and beyond the measured ones.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	Predictions []PredictedVariant `json:"predictions,omitempty"`
	// How well the model, calibrated by the corners of the matrix alone, predicts
	// the other measured variants. Set when the experiment ends; absent when only
	// corners were measured.
	// +optional
	ModelCheck *ModelCheck `json:"modelCheck,omitempty"`
	// The answer to the demand, from the end of the experiment on; absent without
	// a demand.
	// +optional
	Recommendation *Recommendation `json:"recommendation,omitempty"`
	// The sizes that were deployed and driven at the demanded rate, in the order they
	// were tried. Absent without a demand, and with demand.verify: None.
	// +optional
	// +listType=map
	// +listMapKey=trial
	// +kubebuilder:validation:MaxItems=2
	Verifications []Verification `json:"verifications,omitempty"`
	// Strings for the columns of kubectl get only; never parse them.
	// +optional
	Display ExperimentDisplay `json:"display,omitempty"`
}

// Progress is how far an experiment has come.
type Progress struct {
	// How many trials the experiment has: variants times repetitions, and the
	// verification that is to come, or those that were made.
	Trials int32 `json:"trials"`
	// How many of them have ended, in whichever way.
	Finished int32 `json:"finished"`
	// The variants that are being measured now.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Running []string `json:"running,omitempty"`
	// The experiment's place among those that wait for their turn; 1 is next.
	// Absent when it does not wait.
	// +optional
	QueuePosition *int32 `json:"queuePosition,omitempty"`
	// When it is likely to end, from the trials that ended and the plan of those
	// that did not. Absent while it waits or is suspended.
	// +optional
	EstimatedEndTime *metav1.Time `json:"estimatedEndTime,omitempty"`
}

// ExperimentDisplay holds the columns of kubectl get, as a person reads them.
type ExperimentDisplay struct {
	// Finished and all trials, such as 4/9.
	// +optional
	Trials string `json:"trials,omitempty"`
	// The variant that the numbers belong to.
	// +optional
	Variant string `json:"variant,omitempty"`
	// The recommended size, such as 2×c10-500m, or none; blank before the end, and
	// without a demand.
	// +optional
	Recommended string `json:"recommended,omitempty"`
	// Whether the recommended size was seen to hold the objective at the demanded
	// rate: yes, no, undecided or running; blank where it is not verified.
	// +optional
	Verified string `json:"verified,omitempty"`
	// Its median latency at the reported step.
	// +optional
	P50 string `json:"p50,omitempty"`
	// Its p95 there.
	// +optional
	P95 string `json:"p95,omitempty"`
	// Its p99 there.
	// +optional
	P99 string `json:"p99,omitempty"`
	// Its capacity: with > before it where the true one may be greater, with ~
	// where it was predicted and not measured.
	// +optional
	Capacity string `json:"capacity,omitempty"`
	// Its maximum throughput.
	// +optional
	Throughput string `json:"throughput,omitempty"`
	// How far the speed of the CPU varied, such as -7/+9 %: the 10th and the 90th
	// percentile of the time per hash, relative to the reference.
	// +optional
	Speed string `json:"speed,omitempty"`
}

// CostFit is the line a + b·2^cost through the hash times of a node pool.
type CostFit struct {
	// The node pool's name; absent where the experiment names no pools.
	// +optional
	NodePool string `json:"nodePool,omitempty"`
	// a, in nanoseconds: what a hash takes beside its rounds.
	ConstantNanoseconds int64 `json:"constantNanoseconds"`
	// b, in nanoseconds: what each of the 2^cost rounds takes.
	RoundNanoseconds int64 `json:"roundNanoseconds"`
	// How far each cost lies from the line.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Residuals []CostResidual `json:"residuals"`
}

// CostResidual is how far a cost's hash time lies from the fitted line.
type CostResidual struct {
	// The bcrypt cost.
	Cost int32 `json:"cost"`
	// (Measured − fitted) ÷ fitted, times 1000.
	PerMille int64 `json:"perMille"`
}

// NoiseFloor is how far two measurements of the same thing lie apart, in
// thousandths: differences between variants below it mean nothing.
type NoiseFloor struct {
	// The two variants that are the same but for their names.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2
	Pair []string `json:"pair"`
	// The largest difference between the two in one repetition, where both saw the
	// same arrivals.
	// +optional
	EqualSeeds *Noise `json:"equalSeeds,omitempty"`
	// The largest difference between repetitions, which see different arrivals.
	// Absent with a single repetition.
	// +optional
	DifferentSeeds *Noise `json:"differentSeeds,omitempty"`
	// What the comparison of the two says; chance should explain it.
	// +optional
	Comparison *Comparison `json:"comparison,omitempty"`
}

// Noise is a difference in each of the three numbers, in thousandths.
type Noise struct {
	// Of p95 at the reported step.
	// +optional
	P95PerMille *int64 `json:"p95PerMille,omitempty"`
	// Of the capacity.
	// +optional
	CapacityPerMille *int64 `json:"capacityPerMille,omitempty"`
	// Of the maximum throughput.
	// +optional
	MaxThroughputPerMille *int64 `json:"maxThroughputPerMille,omitempty"`
}
