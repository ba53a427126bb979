package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ExperimentPhase is the state of an experiment, in one word. It has no enum, so that a
// definition of an older release does not refuse a new phase.
// +kubebuilder:validation:MaxLength=32
type ExperimentPhase string

// The phases of an experiment. The last three are final, except that an experiment that was not accepted
// is Failed until its spec is corrected.
const (
	ExperimentPending   ExperimentPhase = "Pending"
	ExperimentQueued    ExperimentPhase = "Queued"
	ExperimentRunning   ExperimentPhase = "Running"
	ExperimentSuspended ExperimentPhase = "Suspended"
	ExperimentSucceeded ExperimentPhase = "Succeeded"
	ExperimentFailed    ExperimentPhase = "Failed"
	ExperimentCancelled ExperimentPhase = "Cancelled"
)

// Finished reports whether the experiment has ended.
func (p ExperimentPhase) Finished() bool {
	return p == ExperimentSucceeded || p == ExperimentFailed || p == ExperimentCancelled
}

// SizingExperimentStatus holds the results and the recommendation, as far as they are
// known.
type SizingExperimentStatus struct {
	// The generation of the spec that this status belongs to, or -1 if the operator has not written it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// The seed of the order and the arrivals: the spec's seed, or the one that the operator
	// drew.
	// +optional
	Seed *int64 `json:"seed,omitempty"`
	// The state of the experiment: Pending, Queued (it waits for its turn), Running or
	// Suspended; or how it ended: Succeeded (every variant has a verdict, and at least one
	// is Valid or Suspect), Failed or Cancelled. For people: programs read the conditions,
	// because a later release may have other phases.
	// +optional
	Phase ExperimentPhase `json:"phase,omitempty"`
	// When the first trial was given its turn. From then on the spec can't be changed, except
	// suspend, cancel and ttlSecondsAfterFinished.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// Since when the experiment is suspended; absent unless it is, and before the first trial
	// began.
	// +optional
	SuspendTime *metav1.Time `json:"suspendTime,omitempty"`
	// For how long the experiment was suspended since the first trial began, without the
	// suspension that has not ended, in seconds. It does not count towards the time limit.
	// +optional
	SuspendedSeconds int64 `json:"suspendedSeconds,omitempty"`
	// When the experiment ended, for any reason. Absent again once the spec of an experiment
	// that was not accepted is corrected.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// Accepted (the experiment can be measured), Suspended, Reconciling (it is measured, or
	// waits for its turn), Ready (it ended with a result), Stalled (it ended without one), and Finished
	// (it ended, for any reason).
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(c, size(c.type) <= 64 && size(c.reason) <= 64 && size(c.message) <= 1024)",message="a condition's message can have at most 1,024 characters, and its type and reason 64; shorten them"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// The progress of the experiment.
	// +optional
	Progress *Progress `json:"progress,omitempty"`
	// The reference speed of the CPUs of each node pool, once a trial was measured there, and how
	// fast they were meanwhile. The CPU of an ordinary machine is up to a tenth faster or slower
	// from one moment to the next; results are converted to this one speed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Speed []PoolSpeed `json:"speed,omitempty"`
	// One row for each variant, at the reference speed, from acceptance on. A number that
	// was not measured is absent, never 0.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	Results []VariantResult `json:"results,omitempty"`
	// How measure: Decision finds its answer. Absent with All and Corners.
	// +optional
	Decision *Decision `json:"decision,omitempty"`
	// How long a hash takes, for each hash on each node pool.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	HashTimes []HashTime `json:"hashTimes,omitempty"`
	// How the time of a hash grows with the bcrypt cost, one fitted line for each node pool
	// with at least two costs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	CostFits []CostFit `json:"costFits,omitempty"`
	// What the model predicts for variants that were not measured: those of the matrix that
	// were left out, then costs and CPU limits between and outside the measured ones. Set when
	// the experiment ends, or with measure: Decision once the hashes are timed.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	Predictions []PredictedVariant `json:"predictions,omitempty"`
	// How well the model predicts the other measured variants if it is calibrated with the
	// corners of the matrix alone. Set when the experiment ends; absent if only corners
	// were measured.
	// +optional
	ModelCheck *ModelCheck `json:"modelCheck,omitempty"`
	// The recommended size for the demand. Set when the experiment ends; absent without a
	// demand.
	// +optional
	Recommendation *Recommendation `json:"recommendation,omitempty"`
	// The sizes that were deployed and driven at the demanded rate, in the order in which
	// they were tried, in new pods or with demand.verify: Same in those that were measured. Absent
	// without a demand, and with demand.verify: None.
	// +optional
	// +listType=map
	// +listMapKey=trialName
	// +kubebuilder:validation:MaxItems=2
	Verifications []Verification `json:"verifications,omitempty"`
	// Strings for the columns of kubectl get only; never parse them.
	// +optional
	Display ExperimentDisplay `json:"display,omitzero"`
}

// Progress is how many trials of an experiment have ended, and what is under way.
type Progress struct {
	// How many trials the experiment has: variants times repetitions, plus the verification
	// that is planned or the verifications that were made.
	Trials int32 `json:"trials"`
	// How many of them have ended, for any reason.
	Finished int32 `json:"finished"`
	// The variants that are being measured now, at most 16.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=52
	Running []string `json:"running,omitempty"`
	// What each running trial is doing, as the variant's name and the message of its trial.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=512
	Doing []string `json:"doing,omitempty"`
	// The experiment's position among those that wait for their turn; 1 is next. Above 10 it
	// is rounded up to 20, 50, 100, 200, 500 and so on. Absent if it does not wait.
	// +optional
	QueuePosition *int32 `json:"queuePosition,omitempty"`
	// When the experiment is likely to end, estimated from the trials that ended and the
	// plan of the others. Absent before the first turn and while it is suspended. Between its
	// turns the estimate is not renewed.
	// +optional
	EstimatedEndTime *metav1.Time `json:"estimatedEndTime,omitempty"`
	// The earliest time at which it is likely to end, on a fast CPU. Absent once a hash has been
	// timed.
	// +optional
	EarliestEndTime *metav1.Time `json:"earliestEndTime,omitempty"`
	// The latest time at which it is likely to end, on a slow CPU, and with measure: Decision after
	// a second load. Absent once a hash has been timed.
	// +optional
	LatestEndTime *metav1.Time `json:"latestEndTime,omitempty"`
}

// ExperimentDisplay holds the columns of kubectl get in readable form.
type ExperimentDisplay struct {
	// The number of finished trials and of all trials, such as 4/9.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Trials string `json:"trials,omitempty"`
	// The variant that the numbers belong to.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Variant string `json:"variant,omitempty"`
	// The recommended size, such as 2×c10-500m, or none. Blank before the end, and without
	// a demand.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Recommended string `json:"recommended,omitempty"`
	// Whether the verification showed that the recommended size meets the objective at the
	// demanded rate: yes, no, undecided or running. Blank if it is not verified.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Verified string `json:"verified,omitempty"`
	// p95 of the recommended size at the demanded rate: of the verification's logins, or else,
	// with a leading ~, as predicted. Blank if nothing is recommended. Without a demand, the
	// variant's p95 at the reported step.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	P95 string `json:"p95,omitempty"`
	// The variant's median latency at the reported step.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StepP50 string `json:"stepP50,omitempty"`
	// The variant's p95 at the reported step.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StepP95 string `json:"stepP95,omitempty"`
	// The variant's p99 at the reported step.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	StepP99 string `json:"stepP99,omitempty"`
	// The variant's capacity. A leading > means that the true capacity may be greater, a
	// leading ~ that it was predicted and not measured.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Capacity string `json:"capacity,omitempty"`
	// The variant's maximum throughput.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Throughput string `json:"throughput,omitempty"`
	// How much the speed of the CPU varied, such as -7/+9 %: the 10th and the 90th
	// percentile of the time per hash, relative to the reference.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Speed string `json:"speed,omitempty"`
}

// CostFit is the line a + b·2^cost that fits the hash times of a node pool.
type CostFit struct {
	// The node pool's name; absent if the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// a, in nanoseconds: the part of a hash's time, or of that of a login at a user's own service, that does not depend on the
	// cost.
	ConstantNanoseconds int64 `json:"constantNanoseconds"`
	// b, in nanoseconds: the time of each of the 2^cost rounds.
	RoundNanoseconds int64 `json:"roundNanoseconds"`
	// The distance of each cost's hash time from the line; absent if the line goes through all
	// of them, as through two it nearly always does.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Residuals []CostResidual `json:"residuals,omitempty"`
}

// CostResidual is the distance of a cost's hash time from the fitted line.
type CostResidual struct {
	// The bcrypt cost.
	Cost int32 `json:"cost"`
	// (Measured − fitted) ÷ fitted, times 1000.
	PerMille int64 `json:"perMille"`
}
