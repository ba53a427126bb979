package v1alpha1

// Measure says which variants of a matrix are measured.
// +kubebuilder:validation:Enum=All;Corners
type Measure string

const (
	// MeasureAll measures every variant.
	MeasureAll Measure = "All"
	// MeasureCorners measures the lowest and highest cost on the smallest and the
	// largest CPU limit, two more to check the model by, and all controls; the
	// rest is predicted.
	MeasureCorners Measure = "Corners"
)

// HashTime is how long a hash takes on a node pool, whatever the CPU limit: a
// cell of the table cost × kind of machine.
type HashTime struct {
	// The node pool's name; absent where the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// The CPU's model as the kernel names it.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	CPUModel string `json:"cpuModel,omitempty"`
	// The bcrypt cost.
	// +optional
	Cost int32 `json:"cost,omitempty"`
	// The control's name, where that was timed in the place of a cost.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Control string `json:"control,omitempty"`
	// CPU time of one hash, in microseconds: the mean over all windows of the
	// experiment on this node pool.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// Half the width of the mean's 99.9 % interval by batch means, in
	// microseconds.
	ErrorMicroseconds int64 `json:"errorMicroseconds"`
	// The 10th percentile over the windows, in microseconds.
	// +optional
	LowMicroseconds int64 `json:"lowMicroseconds,omitempty"`
	// The 90th percentile over the windows, in microseconds.
	// +optional
	HighMicroseconds int64 `json:"highMicroseconds,omitempty"`
	// How many windows the mean was taken over.
	Samples int32 `json:"samples"`
	// How many trials timed this hash there.
	Trials int32 `json:"trials"`
}

// PredictedVariant is what the calibrated model expects of a variant that was
// not measured: one that measure: Corners left out, or one whose cost or CPU
// limit lies between or beyond those of the matrix.
type PredictedVariant struct {
	// The variant's name, as the matrix would name it.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// Its bcrypt cost.
	Cost int32 `json:"cost"`
	// Its CPU limit.
	// +kubebuilder:validation:MaxLength=16
	CPULimit string `json:"cpuLimit"`
	// How it would deal with several logins at once.
	Concurrency Concurrency `json:"concurrency"`
	// The node pool's name; absent where the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// True where the matrix names the variant and measure: Corners left it out.
	// Only such a variant can be recommended.
	// +optional
	InMatrix bool `json:"inMatrix,omitempty"`
	// CPU time of one login that the pool's line a + b·2^cost gives, in
	// microseconds.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// The most logins per second that its CPU could serve, times 1000.
	BoundMilliPerSecond int64 `json:"boundMilliPerSecond"`
	// Whether some rate meets the objective.
	ObjectiveMet bool `json:"objectiveMet"`
	// The highest rate that meets the objective, times 1000; absent where none
	// does.
	// +optional
	CapacityMilliPerSecond *int64 `json:"capacityMilliPerSecond,omitempty"`
	// Where the true capacity lies, if the model is as far off as it was found to
	// be.
	// +optional
	CapacityInterval *RateInterval `json:"capacityInterval,omitempty"`
	// The rate that p95 is told at, 70 % of the bound, times 1000.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond"`
	// p95 of a long run at that rate, in microseconds; absent where logins fail.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// Where the true p95 lies, if the model is as far off as it was found to be.
	// +optional
	P95Interval *Interval `json:"p95Interval,omitempty"`
	// What it takes to serve the demand. Absent without a demand or a capacity.
	// +optional
	Sizing *Sizing `json:"sizing,omitempty"`
	// What it costs. Absent without prices.
	// +optional
	Price *Price `json:"price,omitempty"`
}

// ModelCheck holds the model against variants that it was not given: it is
// calibrated by the corners of the matrix alone, and each other variant that was
// measured is predicted from them.
type ModelCheck struct {
	// True where at least two variants were held out, and of each the capacity is
	// predicted within 10 % and p95 at the reported step within 20 %.
	Passed bool `json:"passed"`
	// The same in a sentence, with what lies farthest off.
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message"`
	// Each variant that was held out, in the matrix's order.
	// +optional
	// +listType=map
	// +listMapKey=variant
	// +kubebuilder:validation:MaxItems=64
	HeldOut []HeldOut `json:"heldOut,omitempty"`
}

// HeldOut is a measured variant beside what was predicted of it.
type HeldOut struct {
	// The variant's name.
	// +kubebuilder:validation:MaxLength=52
	Variant string `json:"variant"`
	// The predicted capacity, times 1000; absent where the model finds none.
	// +optional
	PredictedCapacityMilliPerSecond *int64 `json:"predictedCapacityMilliPerSecond,omitempty"`
	// (Predicted − measured) ÷ measured capacity, times 1000; absent where one of
	// the two is.
	// +optional
	CapacityPerMille *int64 `json:"capacityPerMille,omitempty"`
	// p95 that is predicted of the reported step, for the arrivals it had, scaled
	// to the same share of the predicted bound, in microseconds.
	// +optional
	PredictedP95Microseconds *int64 `json:"predictedP95Microseconds,omitempty"`
	// (Predicted − measured) ÷ measured p95, times 1000; absent where one of the
	// two is.
	// +optional
	P95PerMille *int64 `json:"p95PerMille,omitempty"`
}
