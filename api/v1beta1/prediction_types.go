package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// Measure is which variants of a matrix are measured.
// +kubebuilder:validation:Enum=All;Corners;Decision
type Measure string

const (
	// MeasureDecision measures only variants that can still be recommended, one after the other,
	// until one size is left.
	MeasureDecision Measure = "Decision"
	// MeasureAll measures every variant.
	MeasureAll Measure = "All"
	// MeasureCorners measures the lowest and highest cost on the smallest and the largest
	// CPU limit, two more variants to check the model, and every hash that is not a cost; the
	// rest is predicted.
	MeasureCorners Measure = "Corners"
)

// HashTime is how long a hash takes on a node pool, whatever the CPU limit: a cell of the
// table hash × kind of machine.
type HashTime struct {
	// The node pool's name; absent if the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// The CPU model as the kernel reports it.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	CPUModel string `json:"cpuModel,omitempty"`
	// The hash that was timed. Its name is "" if it comes from matrix.costs.
	Hash Hash `json:"hash"`
	// The CPU time of one hash, in microseconds: the mean over all windows of the
	// experiment on this node pool.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// Half the width of the mean's 99.9 % interval by batch means, in
	// microseconds. With fewer than four batches of ten seconds it is 13 standard
	// errors, and the confidence is lower.
	ErrorMicroseconds int64 `json:"errorMicroseconds"`
	// The 10th percentile over the windows, in microseconds.
	// +optional
	LowMicroseconds int64 `json:"lowMicroseconds,omitempty"`
	// The 90th percentile over the windows, in microseconds.
	// +optional
	HighMicroseconds int64 `json:"highMicroseconds,omitempty"`
	// The number of windows that the mean is taken over.
	Samples int32 `json:"samples"`
	// How many trials timed this hash there.
	Trials int32 `json:"trials"`
}

// PredictedVariant is what the calibrated model predicts for a variant that was not
// measured: one of the matrix that was left out, or one whose cost or CPU limit is between
// or outside those of the matrix.
type PredictedVariant struct {
	// The variant's name, as the matrix would name it.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// Its bcrypt cost.
	Cost int32 `json:"cost"`
	// Its CPU limit.
	// +kubebuilder:validation:MaxLength=16
	CPULimit string `json:"cpuLimit"`
	// How it would handle several logins at once.
	Concurrency Concurrency `json:"concurrency"`
	// The node pool's name; absent if the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// True if the variant is in the matrix and was left out. Only such a variant can be
	// recommended.
	// +optional
	InMatrix bool `json:"inMatrix,omitempty"`
	// The CPU time of one login by the pool's line a + b·2^cost, in microseconds.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// The maximum logins per second that its CPU could serve, times 1000.
	BoundMilliPerSecond int64 `json:"boundMilliPerSecond"`
	// True if some rate meets the objective.
	ObjectiveMet bool `json:"objectiveMet"`
	// The highest rate that meets the objective, times 1000; absent if no rate does.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// The range of the true capacity, given the known error of the model.
	// +optional
	CapacityInterval *RateInterval `json:"capacityInterval,omitempty"`
	// The rate at which p95 is predicted, 70 % of the bound, times 1000.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond"`
	// p95 of a long run at that rate, in microseconds; absent if logins fail, and until a decision has
	// loaded all that it needs.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// The range of the true p95, given the known error of the model.
	// +optional
	P95Interval *handover.Interval `json:"p95Interval,omitempty"`
	// The replicas and CPU that it takes to serve the demand. Absent without a demand or a
	// capacity.
	// +optional
	Sizing *Sizing `json:"sizing,omitempty"`
	// What it costs. Absent without prices.
	// +optional
	Price *Price `json:"price,omitempty"`
}

// ModelCheck compares the model with variants that it was not given: the model is
// calibrated with the corners of the matrix alone, and predicts every other measured
// variant from them.
type ModelCheck struct {
	// True if at least two variants were held out, and for each the capacity is predicted
	// within 10 % and p95 at the reported step within 20 %.
	Passed bool `json:"passed"`
	// The same in a sentence, with the largest error.
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message"`
	// Each variant that was held out, in the order of the matrix.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	HeldOut []HeldOut `json:"heldOut,omitempty"`
}

// HeldOut is a measured variant with its prediction.
type HeldOut struct {
	// The variant's name.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// The predicted capacity, times 1000; absent if the model finds none.
	// +optional
	PredictedCapacityMilliPerSecond *int64 `json:"predictedCapacityMilliPerSecond,omitempty"`
	// (Predicted − measured) ÷ measured capacity, times 1000; absent if one of the two is
	// absent.
	// +optional
	CapacityPerMille *int64 `json:"capacityPerMille,omitempty"`
	// The p95 predicted for the reported step with the arrivals that it had, scaled to the
	// same share of the predicted bound, in microseconds.
	// +optional
	PredictedP95Microseconds *int64 `json:"predictedP95Microseconds,omitempty"`
	// (Predicted − measured) ÷ measured p95, times 1000; absent if one of the two is
	// absent.
	// +optional
	P95PerMille *int64 `json:"p95PerMille,omitempty"`
}
