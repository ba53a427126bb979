package v1beta1

const (
	// MaxDecisionLoads is the highest number of variants that measure: Decision loads to decide.
	MaxDecisionLoads = 8
	// MaxLoads is the highest number of variants that it loads, with those of alsoMeasure.
	MaxLoads = 16
)

// DecisionStage is how far a decision is.
// +kubebuilder:validation:MaxLength=32
type DecisionStage string

const (
	// StageCalibrating means that the hashes of a node pool are being timed.
	StageCalibrating DecisionStage = "Calibrating"
	// StageLoading means that variants can still be recommended, and one of them is being measured.
	StageLoading DecisionStage = "Loading"
	// StageDecided means that one size is left, or none, and no other variant is measured.
	StageDecided DecisionStage = "Decided"
)

// Decision is how measure: Decision finds its answer: which variants it measures, which can still be
// recommended, and why the others can't.
type Decision struct {
	// The stage: Calibrating, Loading, or Decided. For people: a later release may have other
	// stages.
	Stage DecisionStage `json:"stage"`
	// The variants that were not measured and could still be recommended, given the intervals of
	// all capacities, the best first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=52
	Open []string `json:"open,omitempty"`
	// The variants that were not measured and can't be recommended, in the order of the matrix.
	// Their predictions are in status.predictions.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	Excluded []ExcludedVariant `json:"excluded,omitempty"`
	// The variants that were measured or will be next, in this order.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=16
	Loads []DecisionLoad `json:"loads,omitempty"`
}

// ExcludedVariant is a variant that can't be recommended.
type ExcludedVariant struct {
	// The variant's name.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// Why it can't be recommended, in a sentence.
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message"`
}

// DecisionLoad is a variant that is measured.
type DecisionLoad struct {
	// The variant's name.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// The rate of all replicas at which it is driven after its saturation, times 1000: the rate with
	// headroom that its replicas would share, or with demand.surviveReplicas at least the share of one
	// replica while those are down. 0 if a verification follows, and for a variant of spec.alsoMeasure:
	// it is then driven at 70 % of what its CPU can serve, and saturated.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond"`
	// Whether spec.alsoMeasure is why it is measured, and not the decision.
	// +optional
	Also bool `json:"also,omitempty"`
}
