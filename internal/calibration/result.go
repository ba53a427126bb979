package calibration

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// Result is the output of a calibration for the operator and for the login service, as
// JSON.
type Result struct {
	// Cost is the bcrypt cost of the hash, 0 with another hash.
	Cost int32 `json:"cost"`
	// Recipe describes the other hash; absent with bcrypt.
	Recipe string `json:"recipe,omitempty"`
	// HashMicroseconds is the CPU time of one hash, the mean of the samples. A hash that
	// takes less than a microsecond is reported as 1: its rate is then understated, but
	// still a hundred times what a load could require.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// ErrorMicroseconds is half the width of the mean's 99.9 % Student interval.
	ErrorMicroseconds int64 `json:"errorMicroseconds"`
	// MedianMicroseconds is the median CPU time of one hash.
	MedianMicroseconds int64 `json:"medianMicroseconds"`
	// Samples is how many samples were taken. A sample is one hash, or as many hashes as
	// fill a millisecond.
	Samples int32 `json:"samples"`
	// WallMicroseconds is the mean time of one hash by the clock.
	WallMicroseconds int64 `json:"wallMicroseconds"`
	// ClockHashesMilliPerSecond is hashes per second by the clock, one after
	// another, times 1000.
	ClockHashesMilliPerSecond int64 `json:"clockHashesMilliPerSecond"`
	// ReferenceMicroseconds is the mean CPU time of one hash at the reference cost, by
	// default 8.
	ReferenceMicroseconds int64 `json:"referenceMicroseconds"`
	// RatioPerMillion is CPU time of one hash ÷ that of one reference hash, in millionths,
	// and 1,000,000 for the reference hash itself. The two were timed alternately, so that
	// the ratio does not depend on the speed of the CPU.
	RatioPerMillion int64 `json:"ratioPerMillion,omitempty"`
	// RatioErrorPerMillion is half the width of the ratio's 99.9 % Student interval.
	RatioErrorPerMillion int64 `json:"ratioErrorPerMillion,omitempty"`
	// BlockMicroseconds is the mean CPU time of a reference hash in each calibration block,
	// in chronological order, at most 64. With more blocks, neighbours are averaged.
	BlockMicroseconds []int64 `json:"blockMicroseconds,omitempty"`
	// UnknownUserPerMille is the CPU time of a refused login of somebody who has no account ÷ that of
	// the user with a wrong password, in thousandths; absent if it was not timed.
	UnknownUserPerMille *int64 `json:"unknownUserPerMille,omitempty"`
	// ScaledFromCost is the cost that was timed instead, if Cost was too slow; absent if
	// Cost itself was timed.
	ScaledFromCost *int32 `json:"scaledFromCost,omitempty"`

	Surroundings
}

// Surroundings is the resources of the container.
type Surroundings struct {
	// GoMaxProcs is how many threads can run Go code at a time.
	GoMaxProcs int32 `json:"goMaxProcs"`
	// Cpuset is the list of CPUs that the container can run on, such as 0-3,8.
	Cpuset string `json:"cpuset,omitempty"`
	// QuotaMilliCPU is the CFS quota in thousandths of a CPU, absent without a quota.
	QuotaMilliCPU *int64 `json:"quotaMilliCPU,omitempty"`
	// QuotaPeriodMicroseconds is the length of the quota's periods, absent if it is the
	// usual 100 ms, and without a quota.
	QuotaPeriodMicroseconds int64 `json:"quotaPeriodMicroseconds,omitempty"`
	// QuotaBurstMicroseconds is how much unused quota can be saved and used later, absent
	// without burst.
	QuotaBurstMicroseconds int64 `json:"quotaBurstMicroseconds,omitempty"`
	// CPUModel is the CPU model as the kernel reports it.
	CPUModel string `json:"cpuModel,omitempty"`
	// CgroupVersion is 1 or 2, 0 if no cgroup controls the CPU.
	CgroupVersion int32 `json:"cgroupVersion,omitempty"`
	// BootID is the boot ID of the kernel.
	BootID string `json:"bootID,omitempty"`
	// GoVersion is the Go version that the program was built with.
	GoVersion string `json:"goVersion,omitempty"`
}

// NewResult returns a timing with the surroundings in which it was taken.
func NewResult(timing Timing, where Surroundings) Result {
	result := Result{
		Cost:                      timing.Cost,
		Recipe:                    timing.Recipe,
		HashMicroseconds:          wholeMillionths(timing.CPU.Mean),
		ErrorMicroseconds:         millionths(timing.CPU.HalfWidth),
		MedianMicroseconds:        wholeMillionths(timing.CPU.Median),
		Samples:                   timing.CPU.Samples,
		WallMicroseconds:          millionths(timing.Wall.Mean),
		ClockHashesMilliPerSecond: milliPerSecond(timing.Wall.Mean),
		ReferenceMicroseconds:     millionths(timing.Reference.Mean),
		RatioPerMillion:           wholeMillionths(timing.Ratio.Mean),
		RatioErrorPerMillion:      millionths(timing.Ratio.HalfWidth),
		BlockMicroseconds:         blockMicroseconds(timing.Blocks),
		UnknownUserPerMille:       timing.UnknownUserPerMille,
		Surroundings:              where,
	}
	if timing.TimedCost != timing.Cost {
		result.ScaledFromCost = &timing.TimedCost
	}
	return result
}

// PerSecond returns the maximum hashes per second that the container can compute, with this
// many workers or, if that is 0, any number of them:
//
//	min(quota, workers, GOMAXPROCS, CPUs of the cpuset) ÷ CPU time of a hash
//
// It returns 0 without a hash time.
func (r Result) PerSecond(workers int32) float64 {
	if r.HashMicroseconds <= 0 {
		return 0
	}
	cpus := float64(r.GoMaxProcs)
	if workers > 0 {
		cpus = min(cpus, float64(workers))
	}
	if r.QuotaMilliCPU != nil && *r.QuotaMilliCPU > 0 {
		cpus = min(cpus, float64(*r.QuotaMilliCPU)/1000)
	}
	if set := evidence.CPUs(r.Cpuset); set > 0 {
		cpus = min(cpus, float64(set))
	}
	return cpus * float64(time.Second/time.Microsecond) / float64(r.HashMicroseconds)
}

// mostBlocks is the maximum number of blocks in a result.
const mostBlocks = 64

// blockMicroseconds averages neighbouring blocks until there are at most mostBlocks.
func blockMicroseconds(seconds []float64) []int64 {
	var blocks []int64
	neighbours := max(1, (len(seconds)+mostBlocks-1)/mostBlocks)
	for chunk := range slices.Chunk(seconds, neighbours) {
		blocks = append(blocks, millionths(stat.Mean(chunk, nil)))
	}
	return blocks
}

// millionths rounds a ratio to millionths, or seconds to microseconds.
func millionths(v float64) int64 { return int64(math.Round(v * 1e6)) }

// wholeMillionths returns at least 1 for a value above 0: 0 would mean a hash that was
// never timed, and would cause a division by zero.
func wholeMillionths(v float64) int64 {
	if v <= 0 {
		return 0
	}
	return max(1, millionths(v))
}

// milliPerSecond returns 0 for hashes that took no time, because they have no rate.
func milliPerSecond(seconds float64) int64 {
	if seconds <= 0 {
		return 0
	}
	return int64(math.Round(1000 / seconds))
}
