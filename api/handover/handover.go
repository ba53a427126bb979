// Package handover has the types of what programs measure and hand over to each other: the login
// service and the load generator write them, the operator reads them, and the API's status has them.
// It imports nothing but the standard library, so that every program can use it. Its group and version
// are those of the API, whose reference lists its types.
//
// +kubebuilder:object:generate=true
// +groupName=hashmark.dev
// +versionName=v1beta1
package handover

// Interval is the range of the true value, with 95 % confidence.
type Interval struct {
	// The lower end, in microseconds.
	LowMicroseconds int64 `json:"lowMicroseconds"`
	// The upper end, in microseconds.
	HighMicroseconds int64 `json:"highMicroseconds"`
}

// Alive is how the pods of the login service answered liveness probes next to the logins. The
// generator sends one per second to each pod, as kubelet does: over a connection of its own, with
// a timeout of one second.
type Alive struct {
	// Probes that were sent to all pods.
	Probes int64 `json:"probes"`
	// How many of them had no response with a status from 200 to 399 within a second.
	Failed int64 `json:"failed"`
	// The longest row of failed probes of one pod. A liveness probe with periodSeconds: 1,
	// timeoutSeconds: 1 and Kubernetes' default of three failures restarts a pod after three.
	// +optional
	FailedInARow int64 `json:"failedInARow,omitempty"`
	// The 95th percentile of the time to the response, in microseconds. A failed probe counts as
	// slower than every other; absent if the probe of that rank failed.
	// +optional
	P95Microseconds *int64 `json:"p95Microseconds,omitempty"`
}

// CalibrationResult is how long a hash takes on the variant's CPU.
type CalibrationResult struct {
	// The CPU time of one hash on all its threads, the mean of the samples, in
	// microseconds; at least 1.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// Half the width of the mean's 99.9 % Student interval, in microseconds.
	ErrorMicroseconds int64 `json:"errorMicroseconds"`
	// How many samples were taken. A sample is one hash, or as many hashes as fill a
	// millisecond.
	Samples int32 `json:"samples"`
	// Hashes per second by the clock, one after another, times 1000. Under a CPU quota it is
	// below the rate that the CPU time gives, because throttling counts too.
	ClockHashesMilliPerSecond int64 `json:"clockHashesMilliPerSecond"`
}

// MostBlocks is the largest number of blocks in a Calibration.
const MostBlocks = 64

// Calibration is how long a hash takes in the variant's container, and what resources
// the container was given.
type Calibration struct {
	CalibrationResult `json:",inline"`
	// The median CPU time of one hash, in microseconds.
	// +optional
	MedianMicroseconds int64 `json:"medianMicroseconds,omitempty"`
	// The mean CPU time of one reference hash (bcrypt cost 8) while the trial was
	// calibrated, in microseconds.
	// +optional
	ReferenceMicroseconds int64 `json:"referenceMicroseconds,omitempty"`
	// The CPU time of one hash ÷ that of one reference hash, in millionths. The two were
	// timed alternately, in short blocks, so that the ratio does not depend on the speed of
	// the CPU. 1,000,000 for the reference hash itself.
	// +optional
	RatioPerMillion int64 `json:"ratioPerMillion,omitempty"`
	// Half the width of the ratio's 99.9 % Student interval, in millionths.
	// +optional
	RatioErrorPerMillion int64 `json:"ratioErrorPerMillion,omitempty"`
	// The mean CPU time of one reference hash in each calibration block, in microseconds,
	// in chronological order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	BlockMicroseconds []int64 `json:"blockMicroseconds,omitempty"`
	// How long the two were timed, by the clock, in milliseconds. Absent in the status of an
	// older version.
	// +optional
	LengthMilliseconds int64 `json:"lengthMilliseconds,omitempty"`
	// With a user's own login service: the CPU time of a refused login of somebody who has no account
	// ÷ that of the user with a wrong password, in thousandths. Absent if the service answers the
	// two differently.
	// +optional
	UnknownUserPerMille *int64 `json:"unknownUserPerMille,omitempty"`
	// The cost that was timed and scaled up, if the variant's own cost was too slow to time
	// in a minute.
	// +optional
	ScaledFromCost *int32 `json:"scaledFromCost,omitempty"`
	Surroundings   `json:",inline"`
}

// Surroundings are the resources of the container that was calibrated.
type Surroundings struct {
	// GOMAXPROCS as the Go runtime chose it in the container.
	GoMaxProcs int32 `json:"goMaxProcs"`
	// The CPUs that the container can run on, as a list such as 0-3,8.
	// +optional
	Cpuset string `json:"cpuset,omitempty"`
	// All CPUs of the cores to which those of cpuset belong, as a list such as 0,4. Absent if each
	// of these cores has one thread, or if the kernel doesn't say.
	// +optional
	CoreCpuset string `json:"coreCpuset,omitempty"`
	// The CFS quota of the container, in thousandths of a CPU. Absent without a quota, for
	// example if a static CPU manager assigns whole CPUs.
	// +optional
	QuotaMilliCPU *int64 `json:"quotaMilliCPU,omitempty"`
	// The length of the quota's periods, in microseconds; absent if it is the usual
	// 100,000, and without a quota.
	// +optional
	QuotaPeriodMicroseconds int64 `json:"quotaPeriodMicroseconds,omitempty"`
	// How much unused quota can be saved and used later (CFS burst), in microseconds;
	// absent without burst.
	// +optional
	QuotaBurstMicroseconds int64 `json:"quotaBurstMicroseconds,omitempty"`
	// The CPU model as the kernel reports it.
	// +optional
	CPUModel string `json:"cpuModel,omitempty"`
	// The version of the cgroups that limit the container, 1 or 2.
	// +optional
	CgroupVersion int32 `json:"cgroupVersion,omitempty"`
	// The boot ID of the node's kernel.
	// +optional
	BootID string `json:"bootID,omitempty"`
	// The Go version that the service was built with.
	// +optional
	GoVersion string `json:"goVersion,omitempty"`
}
