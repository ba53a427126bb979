package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/handover"
)

// TrialPhase is the state of a trial, in one word. It has no enum, as that of an experiment.
// +kubebuilder:validation:MaxLength=32
type TrialPhase string

// The phases of a trial. The last three are final.
const (
	TrialPending   TrialPhase = "Pending"
	TrialRunning   TrialPhase = "Running"
	TrialSuspended TrialPhase = "Suspended"
	TrialSucceeded TrialPhase = "Succeeded"
	TrialFailed    TrialPhase = "Failed"
	TrialCancelled TrialPhase = "Cancelled"
)

// Finished reports whether the phase is final.
func (p TrialPhase) Finished() bool {
	return p == TrialSucceeded || p == TrialFailed || p == TrialCancelled
}

// AttemptOutcome is how an attempt ended.
// +kubebuilder:validation:Enum=Kept;Broken;Invalid;Interrupted
type AttemptOutcome string

const (
	// OutcomeKept means that the attempt's numbers are the trial's.
	OutcomeKept AttemptOutcome = "Kept"
	// OutcomeBroken means that the attempt gave no numbers.
	OutcomeBroken AttemptOutcome = "Broken"
	// OutcomeInvalid means that the generator was too slow, so that the numbers say nothing
	// about the service.
	OutcomeInvalid AttemptOutcome = "Invalid"
	// OutcomeInterrupted means that the experiment was suspended or cancelled, that others were
	// under load for too long, or that the operator was upgraded. It does not use up an attempt.
	OutcomeInterrupted AttemptOutcome = "Interrupted"
)

// SizingTrialStatus is what was measured in a trial, and how far it can be trusted.
type SizingTrialStatus struct {
	// The generation of the spec that this status belongs to, or -1 if the operator has not written it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// The state of the trial: Pending (it waits for its turn), Running or Suspended; or how
	// it ended: Succeeded (it has a result), Failed or Cancelled. For people: programs read
	// the conditions, because a later release may have other phases.
	// +optional
	Phase TrialPhase `json:"phase,omitempty"`
	// The reason for the phase, in one word: what the trial waits for, or why it failed.
	// +optional
	Reason string `json:"reason,omitempty"`
	// The same in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// When the first attempt began.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// When the trial had ended and everything it created was deleted, or could put no more
	// load on the cluster.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// Ready (the trial ended with a result), Reconciling (it is measured, or waits for its
	// turn), Stalled (it ended without a result), Released (it ended, and everything it created is
	// deleted or can put no more load on the cluster), and Waiting (it waits for something
	// other than its turn or its load, and others may have its turn).
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// The kinds and names of objects that should be deleted by now and still exist, because
	// their node does not answer or a finalizer keeps them. At most 32 are named. The field is
	// absent if nothing is left behind.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Leftovers []string `json:"leftovers,omitempty"`
	// The attempts, the latest one last. At most the latest 20.
	// +optional
	// +listType=map
	// +listMapKey=number
	// +kubebuilder:validation:MaxItems=20
	Attempts []Attempt `json:"attempts,omitempty"`
	// The results of this trial for the experiment, at the reference speed
	// (speed.referenceHashMicrosecondsAtCost8).
	// +optional
	Result *VariantResult `json:"result,omitempty"`
	// The calibration in full.
	// +optional
	Calibration *handover.Calibration `json:"calibration,omitempty"`
	// What the model predicts for the variant, before any load.
	// +optional
	Prediction *Prediction `json:"prediction,omitempty"`
	// How fast the CPU was while the trial ran, and the reference speed that the result is
	// converted to.
	// +optional
	Speed *TrialSpeed `json:"speed,omitempty"`
	// How the capacity was found, at the reference speed. Only with modes Capacity
	// and Rates.
	// +optional
	Capacity *Capacity `json:"capacity,omitempty"`
	// Every step, in the order in which it is driven, and then those that are not run. The plan of
	// each is written when the load begins, and its result when the load has ended; an attempt
	// without a result leaves none. At most 24.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=24
	Steps []Step `json:"steps,omitempty"`
	// The counts over the logins of all steps. Only for a Verification.
	// +optional
	Verification *VerificationCounts `json:"verification,omitempty"`
	// The evidence for the numbers.
	// +optional
	Evidence *Evidence `json:"evidence,omitempty"`
	// The number of requests under way at 60 evenly spaced moments of the reported step's
	// counted time.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=60
	UnderWay []int32 `json:"underWay,omitempty"`
	// Strings for the columns of kubectl get only; never parse them.
	// +optional
	Display TrialDisplay `json:"display,omitzero"`
}

// Attempt is one try to run a trial: one service, one k6 Job.
type Attempt struct {
	// The number of the attempt, from 1. Interrupted attempts count too.
	Number int32 `json:"number"`
	// When the attempt began.
	StartTime metav1.Time `json:"startTime"`
	// When the attempt is given up, whatever it is doing. Its pods end themselves at this time.
	// +optional
	DeadlineTime *metav1.Time `json:"deadlineTime,omitempty"`
	// When the attempt ended; absent while it is running.
	// +optional
	EndTime *metav1.Time `json:"endTime,omitempty"`
	// How the attempt ended; absent while it is running.
	// +optional
	Outcome AttemptOutcome `json:"outcome,omitempty"`
	// Why it ended that way, in one word, such as ServiceReplaced.
	// +optional
	Reason string `json:"reason,omitempty"`
	// The same in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// The UID of the login service's Deployment.
	// +optional
	ServiceUID types.UID `json:"serviceUID,omitempty"`
	// A digest of the pods that the operator created when the attempt began. While it would create
	// the same, the pods are compared with these. If not, and if no load has begun, the attempt
	// begins again.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Settings string `json:"settings,omitempty"`
	// When the first of its pods began to calibrate, by the node's clock, in whole seconds.
	// +optional
	CalibrationStartTime *metav1.Time `json:"calibrationStartTime,omitempty"`
	// When the last of its pods finished calibrating.
	// +optional
	CalibrationEndTime *metav1.Time `json:"calibrationEndTime,omitempty"`
	// The UIDs of the login service's pods when the load began.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=10
	ServicePodUIDs []types.UID `json:"servicePodUIDs,omitempty"`
	// The UID of the k6 Job that the numbers came from.
	// +optional
	JobUID types.UID `json:"jobUID,omitempty"`
	// When the load began, that is when the k6 Job was created. Absent without a Job, for
	// example for a variant that can't meet the objective at any rate.
	// +optional
	LoadStartTime *metav1.Time `json:"loadStartTime,omitempty"`
	// When the generator's container began, by its node's clock, in whole seconds.
	// +optional
	GeneratorStartTime *metav1.Time `json:"generatorStartTime,omitempty"`
	// When the generator's container had ended and its result could be read.
	// +optional
	GeneratorEndTime *metav1.Time `json:"generatorEndTime,omitempty"`
}

// Prediction is what the model predicts for a variant from its calibration alone.
type Prediction struct {
	// p95 of logins to an idle service, in microseconds. If it is above the objective, no
	// rate can meet the objective.
	NoLoadP95Microseconds int64 `json:"noLoadP95Microseconds"`
	// The highest rate that meets the objective, times 1000; absent if no rate does.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// p95 at the reported share of the bound, in microseconds. Only with
	// load.capacity.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
}

// CapacityMethod is how a capacity was decided.
// +kubebuilder:validation:Enum=Measured;Predicted;Both
type CapacityMethod string

const (
	// CapacityMeasured means that only steps that met or failed the objective decided it.
	CapacityMeasured CapacityMethod = "Measured"
	// CapacityPredicted means that the model decided it, with the run's own CPU time per
	// login, because no step near the capacity could collect enough samples.
	CapacityPredicted CapacityMethod = "Predicted"
	// CapacityBoth means that the model agrees with measured steps on both sides of the
	// capacity, or at it.
	CapacityBoth CapacityMethod = "Both"
)

// Capacity is the highest rate that meets the objective, as a bracket.
type Capacity struct {
	// How the capacity was decided.
	Method CapacityMethod `json:"method"`
	// The capacity, times 1000; absent if no rate meets the objective.
	// +optional
	MilliPerSecond *int64 `json:"milliPerSecond,omitempty"`
	// The range of the true capacity.
	// +optional
	Interval *RateInterval `json:"interval,omitempty"`
	// The capacity that the model predicts with the run's own CPU time per login, times
	// 1000.
	// +optional
	PredictedMilliPerSecond *int64 `json:"predictedMilliPerSecond,omitempty"`
	// The highest measured rate that met the objective, times 1000.
	// +optional
	HighestMetMilliPerSecond *int64 `json:"highestMetMilliPerSecond,omitempty"`
	// The lowest measured rate that did not meet the objective, times 1000; absent if all
	// rates met it.
	// +optional
	LowestFailedMilliPerSecond *int64 `json:"lowestFailedMilliPerSecond,omitempty"`
	// How the capacity was decided, in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// Evidence is the evidence for a trial's numbers.
type Evidence struct {
	// The nodes of the login service's pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	ServiceNodes []string `json:"serviceNodes,omitempty"`
	// The node of the generator.
	// +optional
	GeneratorNode string `json:"generatorNode,omitempty"`
	// The boot ID of the generator's kernel.
	// +optional
	GeneratorBootID string `json:"generatorBootID,omitempty"`
	// The CPUs that the generator could run on.
	// +optional
	GeneratorCpuset string `json:"generatorCpuset,omitempty"`
	// Restarts of the login service's containers during the load.
	// +optional
	ServiceRestarts int32 `json:"serviceRestarts"`
	// The queue length that the service ran with. Only with WorkerPool.
	// +optional
	QueueLength *int32 `json:"queueLength,omitempty"`
	// The version of k6.
	// +optional
	K6Version string `json:"k6Version,omitempty"`
}

// TrialDisplay holds the columns of kubectl get in readable form.
type TrialDisplay struct {
	// How the service handles several logins at once, such as pool 1.
	// +optional
	Concurrency string `json:"concurrency,omitempty"`
	// The reported step's rate.
	// +optional
	Rate string `json:"rate,omitempty"`
	// The median latency at the reported step.
	// +optional
	P50 string `json:"p50,omitempty"`
	// p95 at the reported step.
	// +optional
	P95 string `json:"p95,omitempty"`
	// p99 at the reported step.
	// +optional
	P99 string `json:"p99,omitempty"`
	// The capacity. A leading > means that the true capacity may be greater, a leading ~
	// that it was predicted and not measured.
	// +optional
	Capacity string `json:"capacity,omitempty"`
	// The maximum throughput.
	// +optional
	Throughput string `json:"throughput,omitempty"`
	// The verdict.
	// +optional
	Verdict string `json:"verdict,omitempty"`
	// The CPU time of a hash with its error, such as 14.2ms ± 40µs.
	// +optional
	Hash string `json:"hash,omitempty"`
	// The node that the service ran on.
	// +optional
	Node string `json:"node,omitempty"`
	// The reasons of the verdict, or what the trial waits for.
	// +optional
	Reason string `json:"reason,omitempty"`
}
