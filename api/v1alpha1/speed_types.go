package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PoolSpeed is the reference speed of the CPUs of a node pool: the speed that the
// experiment's rows are converted to.
type PoolSpeed struct {
	// The node pool's name; absent where the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// CPU time of one bcrypt hash of cost 8, in microseconds: the median over all
	// windows of the experiment on this node pool. A window is a calibration block
	// or a second of load.
	HashMicrosecondsAtCost8 int64 `json:"hashMicrosecondsAtCost8"`
	// Half the width of the reference speed's 95 % interval, in thousandths of it,
	// by batch means.
	ErrorPerMille int64 `json:"errorPerMille"`
	// The 10th percentile of the time per hash over the windows, in thousandths of
	// the reference: how fast the CPU was at its best.
	LowPerMille int64 `json:"lowPerMille"`
	// The 90th percentile of the time per hash over the windows, in thousandths of
	// the reference: how slow the CPU was at its worst. Sizes are chosen for this
	// speed.
	HighPerMille int64 `json:"highPerMille"`
	// How many windows were measured.
	Windows int32 `json:"windows"`
}

// TrialSpeed is how fast the CPU was while a trial ran. A speed is told as the
// CPU time of one hash ÷ that at the reference speed, in thousandths: above 1000
// the CPU was slower than the reference.
type TrialSpeed struct {
	// The reference speed that the trial's result is converted to: the CPU time of
	// one bcrypt hash of cost 8, in microseconds. It is the experiment's reference
	// speed as known when the trial ended, or the median over the trial's own
	// windows where no other trial had ended.
	ReferenceHashMicrosecondsAtCost8 int64 `json:"referenceHashMicrosecondsAtCost8"`
	// Half the width of the reference speed's 95 % interval, in thousandths of it.
	// +optional
	ReferenceErrorPerMille int64 `json:"referenceErrorPerMille,omitempty"`
	// The speed that the offered rates were planned for, as the CPU time of one
	// bcrypt hash of cost 8, in microseconds: the reference speed known before the
	// load, or the calibration's own.
	// +optional
	PlannedHashMicrosecondsAtCost8 int64 `json:"plannedHashMicrosecondsAtCost8,omitempty"`
	// The median over the trial's own windows, as the CPU time of one bcrypt hash
	// of cost 8, in microseconds.
	// +optional
	HashMicrosecondsAtCost8 int64 `json:"hashMicrosecondsAtCost8,omitempty"`
	// The 10th percentile over the trial's own windows, in thousandths of the
	// reference; absent without windows.
	// +optional
	LowPerMille int64 `json:"lowPerMille,omitempty"`
	// The 90th percentile over the trial's own windows, in thousandths of the
	// reference; absent without windows.
	// +optional
	HighPerMille int64 `json:"highPerMille,omitempty"`
	// When the load began, which the first window counts from.
	// +optional
	LoadStartTime *metav1.Time `json:"loadStartTime,omitempty"`
	// How long each window of the load is, in milliseconds: 1000, or a multiple of
	// it for a long load.
	// +optional
	WindowMilliseconds int64 `json:"windowMilliseconds,omitempty"`
	// The speed in each window of the load, in the order of time, in thousandths
	// of the reference; 0 where no hash ended in the window.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	WindowsPerMille []int32 `json:"windowsPerMille,omitempty"`
}

// RowSpeed is how the speed of the CPU varied while a variant was measured, in
// thousandths of the reference time per hash.
type RowSpeed struct {
	// The 10th percentile over the windows of a trial; of several trials the
	// lowest.
	LowPerMille int64 `json:"lowPerMille"`
	// The median over the windows of a trial; of several trials the median of
	// them.
	MedianPerMille int64 `json:"medianPerMille"`
	// The 90th percentile over the windows of a trial; of several trials the
	// highest.
	HighPerMille int64 `json:"highPerMille"`
}

// StepSpeed is how fast the CPU was during a step's counted part.
type StepSpeed struct {
	// CPU time of one hash in the counted part, in microseconds, as observed.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// The same divided by the CPU time of one hash at the reference speed, in
	// thousandths: above 1000 the CPU was slower than the reference.
	PerMille int64 `json:"perMille"`
	// What p95 came to by the speed's changes inside the step: simulated p95 with
	// the speed as it varied ÷ with the same mean speed throughout, in
	// thousandths. Only with Open, and where the model can tell.
	// +optional
	VariationPerMille *int64 `json:"variationPerMille,omitempty"`
}

// StepAtReference is what a step comes to at the reference speed: the same logins
// at the same share of the bound. The outcome is judged by these numbers.
type StepAtReference struct {
	// The rate that is the same share of the bound as was planned, times 1000.
	// With mode Rates the rate that was asked for.
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond"`
	// p95 at that rate, in microseconds: the measured one, converted by the model.
	// Absent where the step has none.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// Where the true p95 lies, with 95 % confidence.
	// +optional
	P95Interval *Interval `json:"p95Interval,omitempty"`
	// The median, as p95Microseconds.
	// +optional
	P50Microseconds *int64 `json:"p50Microseconds,omitempty"`
	// Where the true median lies, as p95Interval.
	// +optional
	P50Interval *Interval `json:"p50Interval,omitempty"`
	// The 99th percentile, as p95Microseconds.
	// +optional
	P99Microseconds *int64 `json:"p99Microseconds,omitempty"`
	// Where the true 99th percentile lies, as p95Interval. Absent below 368
	// samples.
	// +optional
	P99Interval *Interval `json:"p99Interval,omitempty"`
}
