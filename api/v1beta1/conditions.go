package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// The conditions of an experiment.
const (
	// ConditionAccepted is True when the experiment can be measured. Its message says how
	// many trials are planned, or why the experiment can't be measured. It then ends, and goes on
	// when its spec is corrected.
	ConditionAccepted = "Accepted"
	// ConditionFinished is True when the experiment ended, for any reason.
	ConditionFinished = "Finished"
	// ConditionSuspended is True while spec.suspend keeps the experiment from being measured.
	ConditionSuspended = "Suspended"
)

// The conditions of both that tools which wait for objects look at: Helm, Flux, Argo CD and whatever
// else follows kstatus (https://github.com/kubernetes-sigs/cli-utils/tree/master/pkg/kstatus).
const (
	// ConditionReady is True when the experiment or the trial ended with a result.
	ConditionReady = "Ready"
	// ConditionReconciling is True while it is measured, or waits for its turn. It is False while it is
	// suspended, and while the cluster does not let its trials be created. Its reason and the message
	// of an experiment's say what it does or waits for.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when it ended without a result, and will not get one by itself.
	ConditionStalled = "Stalled"
)

// The conditions of a trial.
const (
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
	ReasonDeciding          = "Deciding"
	ReasonVerifying         = "Verifying"
	ReasonSuspended         = "Suspended"
	ReasonNotSuspended      = "NotSuspended"
	ReasonNotStalled        = "NotStalled"
	ReasonCancelled         = "Cancelled"
	ReasonFinished          = "Finished"
	ReasonNotFinished       = "NotFinished"
	ReasonAllMeasured       = "AllMeasured"
	ReasonSomeSuspect       = "SomeSuspect"
	ReasonSomeWithoutResult = "SomeWithoutResult"
	ReasonNoneMeasured      = "NoneMeasured"
	ReasonSlowConclusion    = "SlowConclusion"
)

// Reasons why an attempt ended without numbers, or what it waits for.
const (
	// Waiting: each fails the attempt only after the operator's trials.startTimeout.
	ReasonDeploying        = "Deploying"
	ReasonUnschedulable    = "Unschedulable"
	ReasonQuotaRefused     = "QuotaRefused"
	ReasonAdmissionRefused = "AdmissionRefused"
	ReasonImagePull        = "ImagePull"
	ReasonContainerRefused = "ContainerRefused"
	ReasonJobSuspended     = "JobSuspended"
	// ReasonCompanionNotReady means that a companion of a user's own login service has not started yet.
	ReasonCompanionNotReady = "CompanionNotReady"
	// In progress.
	ReasonUnderLoad        = "UnderLoad"
	ReasonWaitingForOthers = "WaitingForOthers"
	ReasonDisturbed        = "Disturbed"
	ReasonCleaningUp       = "CleaningUp"
	ReasonWaitingForTurn   = "WaitingForTurn"
	ReasonPaused           = "Paused"
	ReasonContinues        = "Continues"
	// The attempt gave no numbers.
	ReasonImageNotAllowed    = "ImageNotAllowed"
	ReasonSecretNotAllowed   = "SecretNotAllowed"
	ReasonNameTaken          = "NameTaken"
	ReasonCalibrationFailed  = "CalibrationFailed"
	ReasonCompanionFailed    = "CompanionFailed"
	ReasonCompanionOOMKilled = "CompanionOOMKilled"
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
