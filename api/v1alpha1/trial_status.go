package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TrialPhase is where a trial stands, in a word.
// +kubebuilder:validation:Enum=Pending;Running;Suspended;Succeeded;Failed;Cancelled
type TrialPhase string

// The phases of a trial. The last three are ends.
const (
	TrialPending   TrialPhase = "Pending"
	TrialRunning   TrialPhase = "Running"
	TrialSuspended TrialPhase = "Suspended"
	TrialSucceeded TrialPhase = "Succeeded"
	TrialFailed    TrialPhase = "Failed"
	TrialCancelled TrialPhase = "Cancelled"
)

// Finished tells whether the phase is an end.
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
	// OutcomeInvalid means that the generator fell short, so that the numbers
	// say nothing of the service.
	OutcomeInvalid AttemptOutcome = "Invalid"
	// OutcomeInterrupted means that the experiment was suspended or cancelled;
	// it uses up no attempt.
	OutcomeInterrupted AttemptOutcome = "Interrupted"
)

// SizingTrialStatus is what was measured in a trial, and what it is worth.
type SizingTrialStatus struct {
	// The generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Where the trial stands: Pending (it waits for its turn), Running or
	// Suspended; or how it ended: Succeeded (it has a result), Failed or
	// Cancelled.
	// +optional
	Phase TrialPhase `json:"phase,omitempty"`
	// Why it stands there, in one word: what it waits for, or why it failed.
	// +optional
	Reason string `json:"reason,omitempty"`
	// The same in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// When its first attempt began.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// When it ended and everything it made was gone.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// Measured (there is a result) and Released (it ended, and everything it made
	// is gone).
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Every attempt, the last one last. At most the latest 20.
	// +optional
	// +listType=map
	// +listMapKey=number
	// +kubebuilder:validation:MaxItems=20
	Attempts []Attempt `json:"attempts,omitempty"`
	// The row that this trial adds to the experiment's results, at the reference
	// speed that was known when the trial ended
	// (speed.referenceHashMicrosecondsAtCost8). The experiment's row is at the
	// experiment's final reference speed.
	// +optional
	Result *VariantResult `json:"result,omitempty"`
	// Calibration in full.
	// +optional
	Calibration *TrialCalibration `json:"calibration,omitempty"`
	// What the model expects of the variant, before any load.
	// +optional
	Prediction *Prediction `json:"prediction,omitempty"`
	// How fast the CPU was while the trial ran, and the reference speed that the
	// result is converted to.
	// +optional
	Speed *TrialSpeed `json:"speed,omitempty"`
	// How the capacity was found, at the reference speed. Only with modes Capacity
	// and Rates.
	// +optional
	Capacity *Capacity `json:"capacity,omitempty"`
	// Every step, in the order it was driven. At most 24.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=24
	Steps []Step `json:"steps,omitempty"`
	// What the logins of all steps come to. Only of a Verification.
	// +optional
	Verification *VerificationCounts `json:"verification,omitempty"`
	// What stood under the numbers.
	// +optional
	Evidence *Evidence `json:"evidence,omitempty"`
	// The spread of latencies at the reported step.
	// +optional
	Distribution *Distribution `json:"distribution,omitempty"`
	// Requests under way at 60 evenly spaced moments of the reported step's
	// counted time.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=60
	UnderWay []int32 `json:"underWay,omitempty"`
	// Strings for the columns of kubectl get only; never parse them.
	// +optional
	Display TrialDisplay `json:"display,omitempty"`
}

// Attempt is one try at a trial: one service, one k6 Job.
type Attempt struct {
	// Counts every attempt of the trial, from 1, interrupted ones too.
	Number int32 `json:"number"`
	// When it began.
	StartTime metav1.Time `json:"startTime"`
	// When it ended; absent while it goes on.
	// +optional
	EndTime *metav1.Time `json:"endTime,omitempty"`
	// How it ended; absent while it goes on.
	// +optional
	Outcome AttemptOutcome `json:"outcome,omitempty"`
	// Why it ended so, in one word, such as ServiceReplaced.
	// +optional
	Reason string `json:"reason,omitempty"`
	// The same in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// The UID of the login service's Deployment.
	// +optional
	ServiceUID types.UID `json:"serviceUID,omitempty"`
	// When the first of its pods began to calibrate, by the node's clock, in whole
	// seconds.
	// +optional
	CalibrationStartTime *metav1.Time `json:"calibrationStartTime,omitempty"`
	// When the last of them had calibrated.
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
	// When the load began: the k6 Job was created. Absent while none was, as for a
	// variant that no rate can help to meet the objective.
	// +optional
	LoadStartTime *metav1.Time `json:"loadStartTime,omitempty"`
	// When the generator's container began, by its node's clock, in whole seconds.
	// +optional
	GeneratorStartTime *metav1.Time `json:"generatorStartTime,omitempty"`
	// When it had ended, and its result could be read.
	// +optional
	GeneratorEndTime *metav1.Time `json:"generatorEndTime,omitempty"`
}

// TrialCalibration is how long a hash takes in the variant's container, and
// what the container was given.
type TrialCalibration struct {
	CalibrationResult `json:",inline"`
	// The median CPU time of one hash, in microseconds.
	// +optional
	MedianMicroseconds int64 `json:"medianMicroseconds,omitempty"`
	// The mean CPU time of one reference hash (bcrypt cost 8) while the trial was
	// calibrated, in microseconds.
	// +optional
	ReferenceMicroseconds int64 `json:"referenceMicroseconds,omitempty"`
	// CPU time of one hash ÷ that of one reference hash, in millionths. The two
	// were timed in turns, in short blocks, so that the ratio does not depend on
	// the speed of the CPU. 1,000,000 for the reference hash itself.
	// +optional
	RatioPerMillion int64 `json:"ratioPerMillion,omitempty"`
	// Half the width of the ratio's 99.9 % Student interval, in millionths.
	// +optional
	RatioErrorPerMillion int64 `json:"ratioErrorPerMillion,omitempty"`
	// The mean CPU time of one reference hash in each calibration block, in
	// microseconds, in the order of time.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	BlockMicroseconds []int64 `json:"blockMicroseconds,omitempty"`
	// The cost that was timed and scaled up from, where the variant's own was too
	// slow to time in a minute.
	// +optional
	ScaledFromCost *int32 `json:"scaledFromCost,omitempty"`
	// GOMAXPROCS as the Go runtime chose it in the container.
	GoMaxProcs int32 `json:"goMaxProcs"`
	// The CPUs that the container may run on, as a list such as 0-3,8.
	// +optional
	Cpuset string `json:"cpuset,omitempty"`
	// The CFS quota that was found, in thousandths of a CPU; absent where there is
	// none, as a static CPU manager gives whole CPUs.
	// +optional
	QuotaMilliCPU *int64 `json:"quotaMilliCPU,omitempty"`
	// The length of the quota's periods, in microseconds; absent where it is the
	// usual 100,000, and where there is no quota.
	// +optional
	QuotaPeriodMicroseconds int64 `json:"quotaPeriodMicroseconds,omitempty"`
	// How much unused quota may be saved up and used later (CFS burst), in
	// microseconds; absent where none may.
	// +optional
	QuotaBurstMicroseconds int64 `json:"quotaBurstMicroseconds,omitempty"`
	// The CPU's model as the kernel names it.
	// +optional
	CPUModel string `json:"cpuModel,omitempty"`
	// The version of the cgroups that limit the container, 1 or 2.
	// +optional
	CgroupVersion int32 `json:"cgroupVersion,omitempty"`
	// The boot id of the node's kernel.
	// +optional
	BootID string `json:"bootID,omitempty"`
	// The Go version that the service was built with.
	// +optional
	GoVersion string `json:"goVersion,omitempty"`
}

// Prediction is what the model expects of a variant from its calibration alone.
type Prediction struct {
	// p95 of logins that meet an idle service, in microseconds: where that is
	// above the objective, no rate can meet it.
	NoLoadP95Microseconds int64 `json:"noLoadP95Microseconds"`
	// The highest rate that meets the objective, times 1000; absent where none
	// does.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// p95 at the reported share of the bound, in microseconds. Only with mode
	// Capacity.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
}

// CapacityMethod is how a capacity was decided.
// +kubebuilder:validation:Enum=Measured;Predicted;Both
type CapacityMethod string

const (
	// CapacityMeasured means: by steps that met or failed the objective alone.
	CapacityMeasured CapacityMethod = "Measured"
	// CapacityPredicted means: by the model, fed with the run's own CPU time per
	// login, where no step near the answer could gather enough samples.
	CapacityPredicted CapacityMethod = "Predicted"
	// CapacityBoth means: by the model, and measured steps on both sides of the
	// answer, or at it, agree.
	CapacityBoth CapacityMethod = "Both"
)

// Capacity is the highest rate that meets the objective, as a bracket.
type Capacity struct {
	// How it was decided.
	Method CapacityMethod `json:"method"`
	// The answer, times 1000; absent where no rate meets the objective.
	// +optional
	MilliPerSecond *int64 `json:"milliPerSecond,omitempty"`
	// Where the true capacity lies.
	// +optional
	Interval *RateInterval `json:"interval,omitempty"`
	// What the model made of it with the run's own CPU time per login, times 1000.
	// +optional
	PredictedMilliPerSecond *int64 `json:"predictedMilliPerSecond,omitempty"`
	// The highest measured rate that met the objective, times 1000.
	// +optional
	HighestMetMilliPerSecond *int64 `json:"highestMetMilliPerSecond,omitempty"`
	// The lowest measured rate that did not meet it, times 1000; absent when all
	// did.
	// +optional
	LowestFailedMilliPerSecond *int64 `json:"lowestFailedMilliPerSecond,omitempty"`
	// How it was decided, in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// Evidence is what stood under a trial's numbers.
type Evidence struct {
	// The nodes of the login service's pods.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	ServiceNodes []string `json:"serviceNodes,omitempty"`
	// The node of the generator.
	// +optional
	GeneratorNode string `json:"generatorNode,omitempty"`
	// The boot id of the generator's kernel.
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
	// The share of the service's CPUs that stood idle during the reported step, in
	// percent.
	// +optional
	IdlePercent *int32 `json:"idlePercent,omitempty"`
	// The share of the service's CPUs that others used during the reported step,
	// in percent.
	// +optional
	OthersPercent *int32 `json:"othersPercent,omitempty"`
	// The share of the service's CPUs that the hypervisor gave to other machines
	// during the reported step, in percent.
	// +optional
	StealPercent *int32 `json:"stealPercent,omitempty"`
}

// Distribution is a histogram of latency with 32 buckets, each wider than the
// last by the same factor: bucket i ends at low × (high ÷ low)^((i+1)/32).
type Distribution struct {
	// Where the first bucket begins, in microseconds.
	LowMicroseconds int64 `json:"lowMicroseconds"`
	// Where the last bucket ends, in microseconds.
	HighMicroseconds int64 `json:"highMicroseconds"`
	// Successful logins in each bucket.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Counts []int64 `json:"counts"`
}

// TrialDisplay holds the columns of kubectl get, as a person reads them.
type TrialDisplay struct {
	// How the service deals with several logins at once, such as pool 1.
	// +optional
	Concurrency string `json:"concurrency,omitempty"`
	// The reported step's rate.
	// +optional
	Rate string `json:"rate,omitempty"`
	// The median latency there.
	// +optional
	P50 string `json:"p50,omitempty"`
	// p95 there.
	// +optional
	P95 string `json:"p95,omitempty"`
	// p99 there.
	// +optional
	P99 string `json:"p99,omitempty"`
	// The capacity: with > before it where the true one may be greater, with ~
	// where it was predicted and not measured.
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
	// Where the service ran.
	// +optional
	Node string `json:"node,omitempty"`
	// The reasons, or what the trial waits for.
	// +optional
	Reason string `json:"reason,omitempty"`
}
