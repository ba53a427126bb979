package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// The conditions of an experiment.
const (
	// ConditionAccepted is True when the experiment can be measured. Its message says how
	// many trials are planned, or why the experiment can't be measured.
	ConditionAccepted = "Accepted"
	// ConditionProgressing is True while trials run or wait for their turn.
	ConditionProgressing = "Progressing"
	// ConditionComplete is True when every variant has a verdict and at least one verdict
	// is Valid or Suspect.
	ConditionComplete = "Complete"
	// ConditionFailed is True when the experiment ended without a usable result.
	ConditionFailed = "Failed"
	// ConditionFinished is True when the experiment ended, for any reason.
	ConditionFinished = "Finished"
	// ConditionSlowConclusion is True when computing the recommendation took so long that trials
	// of other experiments waited for it. It is absent otherwise.
	ConditionSlowConclusion = "SlowConclusion"
)

// The conditions of both that tools which wait for objects look at: Helm, Flux, Argo CD and whatever
// else follows kstatus (https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus).
const (
	// ConditionReady is True when the experiment or the trial ended with a result.
	ConditionReady = "Ready"
	// ConditionReconciling is True while it is measured, or waits to be.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when it ended without a result, and will not get one.
	ConditionStalled = "Stalled"
)

// The conditions of a trial.
const (
	// ConditionMeasured is True when the trial has a result.
	ConditionMeasured = "Measured"
	// ConditionReleased is True when the trial ended and everything it created is deleted, or
	// can put no more load on the cluster.
	ConditionReleased = "Released"
	// ConditionWaiting is True while the trial waits for something other than its turn or its load,
	// which the reason names. Its turn is then free for other experiments, and it keeps its place.
	ConditionWaiting = "Waiting"
)

// Reasons of an experiment's conditions.
const (
	ReasonAccepted          = "Accepted"
	ReasonDuplicateVariant  = "DuplicateVariant"
	ReasonNotAccepted       = "NotAccepted"
	ReasonQueued            = "Queued"
	ReasonMeasuring         = "Measuring"
	ReasonVerifying         = "Verifying"
	ReasonSuspended         = "Suspended"
	ReasonCancelled         = "Cancelled"
	ReasonFinished          = "Finished"
	ReasonNotFinished       = "NotFinished"
	ReasonAllMeasured       = "AllMeasured"
	ReasonSomeSuspect       = "SomeSuspect"
	ReasonSomeWithoutResult = "SomeWithoutResult"
	ReasonNoneMeasured      = "NoneMeasured"
)

// Reasons why an attempt ended without numbers, or what it waits for.
const (
	// Waiting: each fails the attempt only after the operator's --start-timeout.
	ReasonDeploying        = "Deploying"
	ReasonUnschedulable    = "Unschedulable"
	ReasonQuotaRefused     = "QuotaRefused"
	ReasonAdmissionRefused = "AdmissionRefused"
	ReasonImagePull        = "ImagePull"
	ReasonContainerRefused = "ContainerRefused"
	ReasonJobSuspended     = "JobSuspended"
	// In progress.
	ReasonUnderLoad        = "UnderLoad"
	ReasonWaitingForOthers = "WaitingForOthers"
	ReasonCleaningUp       = "CleaningUp"
	ReasonWaitingForTurn   = "WaitingForTurn"
	ReasonPaused           = "Paused"
	ReasonContinues        = "Continues"
	// The attempt gave no numbers.
	ReasonImageNotAllowed    = "ImageNotAllowed"
	ReasonNameTaken          = "NameTaken"
	ReasonCalibrationFailed  = "CalibrationFailed"
	ReasonServiceDeleted     = "ServiceDeleted"
	ReasonServiceReplaced    = "ServiceReplaced"
	ReasonServiceRestarted   = "ServiceRestarted"
	ReasonServiceOOMKilled   = "ServiceOOMKilled"
	ReasonServiceEvicted     = "ServiceEvicted"
	ReasonServiceFailed      = "ServiceFailed"
	ReasonJobDeleted         = "JobDeleted"
	ReasonGeneratorOOMKilled = handover.GeneratorOOMKilled
	ReasonGeneratorEvicted   = "GeneratorEvicted"
	ReasonGeneratorKilled    = handover.GeneratorKilled
	ReasonGeneratorReplaced  = "GeneratorReplaced"
	ReasonSummaryLost        = "SummaryLost"
	ReasonSummaryGarbled     = handover.SummaryGarbled
	ReasonDeadlineExceeded   = handover.DeadlineExceeded
	ReasonPlanImpossible     = "PlanImpossible"
	ReasonOperatorChanged    = "OperatorChanged"
	// Other outcomes.
	ReasonMeasured       = "Measured"
	ReasonNotPlanned     = "NotPlanned"
	ReasonExperimentGone = "ExperimentGone"
)
