package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PoolSpeed is how fast the CPUs of a node pool were while an experiment ran on it. Its results
// are converted to the reference speed.
type PoolSpeed struct {
	// The node pool's name; absent if the experiment names no pools.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	NodePool string `json:"nodePool,omitempty"`
	// The reference speed: the CPU time of one bcrypt hash of cost 8, in microseconds. It is the
	// median over the windows of the first trial that ended on this node pool, and doesn't change
	// afterwards. A window is a calibration block or a second of load.
	HashMicrosecondsAtCost8 int64 `json:"hashMicrosecondsAtCost8"`
	// The median of the time per hash over all windows of the experiment on this node pool, in
	// thousandths of the reference.
	MedianPerMille int64 `json:"medianPerMille"`
	// Half the width of the median's 95 % interval, in thousandths of the median, by batch means.
	ErrorPerMille int64 `json:"errorPerMille"`
	// The 10th percentile of the time per hash over the windows, in thousandths of the
	// reference: the CPU at its fastest.
	LowPerMille int64 `json:"lowPerMille"`
	// The 90th percentile of the time per hash over the windows, in thousandths of the
	// reference: the CPU at its slowest.
	HighPerMille int64 `json:"highPerMille"`
	// The sizing speed, which sizes are chosen for, in thousandths of the reference: highPerMille, or
	// slower because a pod that was not measured can be on a slower CPU, as podScatterPerMille says. The
	// pods of Valid verifications that decided count if they are slower, but not for a size that met the
	// objective in its own.
	// +optional
	SizingPerMille int64 `json:"sizingPerMille,omitempty"`
	// By how much the pods of this node pool differ from each other in the time per hash: one standard
	// deviation, in thousandths. 30 is assumed, and corrected by the pods that were measured, beyond
	// what the drift of each explains.
	// +optional
	PodScatterPerMille int64 `json:"podScatterPerMille,omitempty"`
	// How many windows were measured.
	Windows int32 `json:"windows"`
}

// TrialSpeed is how fast the CPU was while a trial ran. A speed is the CPU time of one hash
// ÷ the CPU time of one hash at the reference speed, in thousandths: above 1000 the CPU was
// slower than the reference.
type TrialSpeed struct {
	// The reference speed that the trial's result is converted to: the CPU time of one
	// bcrypt hash of cost 8, in microseconds. The first trial that ends on a node pool fixes it,
	// as the median over its own windows; all others on that node pool are judged by it.
	ReferenceHashMicrosecondsAtCost8 int64 `json:"referenceHashMicrosecondsAtCost8"`
	// The speed that the offered rates were planned for, as the CPU time of one bcrypt hash
	// of cost 8, in microseconds: the reference speed known before the load, or the speed
	// during the calibration.
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
	// The CPU time of the variant's hash after the load, when the service computed one at a time, in
	// microseconds, as observed. Absent if it is unknown.
	// +optional
	IdleHashMicroseconds int64 `json:"idleHashMicroseconds,omitempty"`
	// How much longer hashes took because of the load itself; absent if that is unknown, and if they
	// took hardly longer. The speeds here, the windows and those of the steps are without it. The
	// bound, the capacity and the maximum are with it.
	// +optional
	UnderLoad *SlowerUnderLoad `json:"underLoad,omitempty"`
	// When the load began, which is the start of the first window.
	// +optional
	LoadStartTime *metav1.Time `json:"loadStartTime,omitempty"`
	// The length of each window of the load, in milliseconds: 1000, or a multiple of it for
	// a long load.
	// +optional
	WindowMilliseconds int64 `json:"windowMilliseconds,omitempty"`
	// The speed in each window of the load, in chronological order, in thousandths of the
	// reference; 0 if no hash ended in the window.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	WindowsPerMille []int32 `json:"windowsPerMille,omitempty"`
}

// SlowerUnderLoad is by how much hashes slow each other down, for example because two threads of one
// core compute them at the same time. It is a property of the variant on its machine, and not a change
// of the CPU's speed over time.
type SlowerUnderLoad struct {
	// The CPU time of a hash when all CPUs of the service hash all the time ÷ that of a hash that
	// the same service computes alone, before and after the load, in thousandths: above 1000.
	PerMille int64 `json:"perMille"`
	// Half the width of its 95 % interval, in thousandths of it.
	ErrorPerMille int64 `json:"errorPerMille"`
}

// RowSpeed is how the speed of the CPU varied while a variant was measured, in
// thousandths of the reference time per hash.
type RowSpeed struct {
	// The 10th percentile over the windows of a trial; with several trials, the lowest of
	// them.
	LowPerMille int64 `json:"lowPerMille"`
	// The median over the windows of a trial; with several trials, the median of them.
	MedianPerMille int64 `json:"medianPerMille"`
	// The 90th percentile over the windows of a trial; with several trials, the highest of
	// them.
	HighPerMille int64 `json:"highPerMille"`
}

// StepSpeed is how fast the CPU was during the counted part of a step.
type StepSpeed struct {
	// The CPU time of one hash in the counted part, in microseconds, as observed.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// The same, divided by the CPU time of one hash at the reference speed under as much load, in
	// thousandths: above 1000 the CPU was slower than the reference.
	PerMille int64 `json:"perMille"`
	// The slowest ÷ the fastest window of the step, in thousandths. Absent without windows.
	// +optional
	RangePerMille int64 `json:"rangePerMille,omitempty"`
	// The effect of speed changes within the step on p95: simulated p95 with the speed as
	// it varied ÷ simulated p95 with the same mean speed throughout, in thousandths. Only
	// with Open, and only if the model can compute it.
	// +optional
	VariationPerMille *int64 `json:"variationPerMille,omitempty"`
}

// StepAtReference is the result of a step at the reference speed: for the same logins at
// the same share of the bound. The outcome is judged by these numbers.
type StepAtReference struct {
	// The rate that is the same share of the bound as planned, times 1000. With load.rates
	// the requested rate. Only with Open.
	// +optional
	OfferedMilliPerSecond int64 `json:"offeredMilliPerSecond,omitempty"`
	// p95 at that rate, in microseconds: the measured p95, converted by the model. Absent
	// if the step has none, and if it was overloaded.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
	// The range of the true p95, with 95 % confidence.
	// +optional
	P95Interval *handover.Interval `json:"p95Interval,omitempty"`
	// How far p95 of a single run can be from p95 of many, as a factor in thousandths, by
	// simulated runs of the step. Absent if the model can't compute it.
	// +optional
	P95SpreadPerMille *int64 `json:"p95SpreadPerMille,omitempty"`
	// The median at that rate, like p95Microseconds.
	// +optional
	P50Microseconds *int64 `json:"p50Microseconds,omitempty"`
	// The range of the true median, like p95Interval.
	// +optional
	P50Interval *handover.Interval `json:"p50Interval,omitempty"`
	// The 99th percentile at that rate, like p95Microseconds.
	// +optional
	P99Microseconds *int64 `json:"p99Microseconds,omitempty"`
	// The range of the true 99th percentile, like p95Interval. Absent below 368 samples.
	// +optional
	P99Interval *handover.Interval `json:"p99Interval,omitempty"`
}
