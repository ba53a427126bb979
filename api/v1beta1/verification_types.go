package v1beta1

// VerificationOutcome is whether a verification shows that the objective is met.
// +kubebuilder:validation:Enum=Met;Failed;Undecided;NotRun
type VerificationOutcome string

const (
	// VerificationMet means that the logins show, with 95 % confidence, that the size meets
	// the objective at the rate.
	VerificationMet VerificationOutcome = "Met"
	// VerificationFailed means that the logins show, with 95 % confidence, that the size
	// does not meet the objective.
	VerificationFailed VerificationOutcome = "Failed"
	// VerificationUndecided means that ten minutes of logins showed neither, or that the
	// trial's result can't be trusted.
	VerificationUndecided VerificationOutcome = "Undecided"
	// VerificationNotRun means that the size could not be driven at the rate.
	VerificationNotRun VerificationOutcome = "NotRun"
)

// Verification is a size that was deployed and driven at the demanded rate.
type Verification struct {
	// The name of the SizingTrial that drives it.
	// +kubebuilder:validation:MaxLength=253
	TrialName string `json:"trialName"`
	// The variant, such as c10-500m.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// How many replicas the size has.
	Replicas int32 `json:"replicas"`
	// How many of them are driven: one with Replica; all but demand.surviveReplicas with
	// Full. At most 10.
	DrivenReplicas int32 `json:"drivenReplicas"`
	// The login rate that they are driven at, times 1000: the demanded rate, or with
	// Replica the share of one replica when demand.surviveReplicas of them are down.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond"`
	// The outcome: Met, Failed, Undecided or NotRun; absent until the verification has
	// ended.
	// +optional
	Outcome VerificationOutcome `json:"outcome,omitempty"`
	// The same in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
	// The 95th percentile of its logins' latency, in microseconds, at the reference speed: that of
	// the trial's result. Absent without a result, and if the result is Invalid.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// The counts of its logins; absent without a result.
	// +optional
	Counts *VerificationCounts `json:"counts,omitempty"`
}

// VerificationCounts counts the logins of a verification. The intervals are Clopper-Pearson
// intervals, for independent logins. The outcome is checked up to three times, with a total
// error of 5 % for Met and 5 % for Failed.
type VerificationCounts struct {
	// What the logins show: Met, Failed or Undecided.
	Outcome VerificationOutcome `json:"outcome"`
	// Logins that were due.
	Logins int64 `json:"logins"`
	// Logins that took longer than objective.p95Milliseconds, including failed ones: at
	// most 50 of 1000 are allowed.
	Slower int64 `json:"slower"`
	// The range of the true share of such logins, in millionths.
	SlowerPerMillion ShareInterval `json:"slowerPerMillion"`
	// Logins that took longer than objective.p50Milliseconds: at most 500 of 1000 are
	// allowed. Absent if the objective does not set it.
	// +optional
	SlowerThanP50 *SlowLogins `json:"slowerThanP50,omitempty"`
	// Logins that took longer than objective.p99Milliseconds: at most 10 of 1000 are
	// allowed. Absent if the objective does not set it.
	// +optional
	SlowerThanP99 *SlowLogins `json:"slowerThanP99,omitempty"`
	// Logins that failed.
	Failed int64 `json:"failed"`
	// The range of the true share of such logins, in millionths.
	FailedPerMillion ShareInterval `json:"failedPerMillion"`
}

// ShareInterval is the range of the true share of some logins.
type ShareInterval struct {
	// The lower end, in millionths.
	Low int64 `json:"low"`
	// The upper end, in millionths.
	High int64 `json:"high"`
}

// SlowLogins counts logins that took longer than a percentile of the objective, including
// failed ones.
type SlowLogins struct {
	// How many took longer, including failed ones.
	Logins int64 `json:"logins"`
	// The range of the true share of such logins, in millionths.
	PerMillion ShareInterval `json:"perMillion"`
}
