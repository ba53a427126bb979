package v1alpha1

// VerificationOutcome is what a verification says of the objective.
// +kubebuilder:validation:Enum=Met;Failed;Undecided;NotRun
type VerificationOutcome string

const (
	// VerificationMet means that the logins show, with 95 % confidence, that the size
	// holds the objective at the rate.
	VerificationMet VerificationOutcome = "Met"
	// VerificationFailed means that they show, with 95 % confidence, that it does
	// not.
	VerificationFailed VerificationOutcome = "Failed"
	// VerificationUndecided means that ten minutes of logins showed neither, or that
	// the trial's result can't be trusted.
	VerificationUndecided VerificationOutcome = "Undecided"
	// VerificationNotRun means that the size could not be driven at the rate.
	VerificationNotRun VerificationOutcome = "NotRun"
)

// Verification is a size that was deployed and driven at the demanded rate.
type Verification struct {
	// The SizingTrial that drives it.
	// +kubebuilder:validation:MaxLength=253
	Trial string `json:"trial"`
	// The variant, such as c10-500m.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// How many replicas the size has.
	Replicas int32 `json:"replicas"`
	// How many of them are driven: one with Replica; with Full all but
	// demand.surviveReplicas. At most 10.
	DrivenReplicas int32 `json:"drivenReplicas"`
	// The login rate that they are driven with, times 1000: the demanded rate, or
	// with Replica the share of one when demand.surviveReplicas of them are down.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond"`
	// What came of it: Met, Failed, Undecided or NotRun; absent until it has ended.
	// +optional
	Outcome VerificationOutcome `json:"outcome,omitempty"`
	// The same in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
	// What its logins come to; absent where it has no result.
	// +optional
	Counts *VerificationCounts `json:"counts,omitempty"`
}

// VerificationCounts are the logins of a verification. The intervals are by
// Clopper and Pearson, for independent logins. The outcome is checked up to three
// times, with an error of 5 % in all for Met and 5 % in all for Failed.
type VerificationCounts struct {
	// What the logins say of the objective: Met, Failed or Undecided.
	Outcome VerificationOutcome `json:"outcome"`
	// Logins that were due.
	Logins int64 `json:"logins"`
	// Those that took longer than objective.p95Milliseconds, failed ones included: at
	// most 50 of 1000 may.
	Slower int64 `json:"slower"`
	// Where the true share of such logins lies, in millionths.
	SlowerPerMillion ShareInterval `json:"slowerPerMillion"`
	// Those that took longer than objective.p50Milliseconds: at most 500 of 1000
	// may. Absent where the objective does not have it.
	// +optional
	SlowerThanP50 *SlowLogins `json:"slowerThanP50,omitempty"`
	// Those that took longer than objective.p99Milliseconds: at most 10 of 1000
	// may. Absent where the objective does not have it.
	// +optional
	SlowerThanP99 *SlowLogins `json:"slowerThanP99,omitempty"`
	// Those that failed.
	Failed int64 `json:"failed"`
	// Where the true share of such logins lies, in millionths.
	FailedPerMillion ShareInterval `json:"failedPerMillion"`
}

// ShareInterval is where the true share of some logins lies.
type ShareInterval struct {
	// The lower end, in millionths.
	Low int64 `json:"low"`
	// The upper end, in millionths.
	High int64 `json:"high"`
}

// SlowLogins are logins that took longer than a percentile of the objective, failed
// ones included.
type SlowLogins struct {
	// How many took longer, failed ones included.
	Logins int64 `json:"logins"`
	// Where the true share of such logins lies, in millionths.
	PerMillion ShareInterval `json:"perMillion"`
}
