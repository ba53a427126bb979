package calibration

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"k8s.io/utils/cpuset"
)

// Result is what a calibration leaves for the operator and for the login
// service, as JSON.
type Result struct {
	// Cost is the bcrypt cost that the hash times are of, 0 where they are of
	// another hash.
	Cost int32 `json:"cost"`
	// Recipe is that other hash, in words; absent with bcrypt.
	Recipe string `json:"recipe,omitempty"`
	// HashMicroseconds is the CPU time of one hash, the mean of the samples. One
	// that takes less than a microsecond is told as 1: its rate is then
	// understated, and still a hundred times what a load could ask for.
	HashMicroseconds int64 `json:"hashMicroseconds"`
	// ErrorMicroseconds is half the width of the mean's 99.9 % Student interval.
	ErrorMicroseconds int64 `json:"errorMicroseconds"`
	// MedianMicroseconds is the median CPU time of one hash.
	MedianMicroseconds int64 `json:"medianMicroseconds"`
	// Samples is how many were taken: of one hash each, or of as many as fill a
	// millisecond.
	Samples int32 `json:"samples"`
	// WallMicroseconds is the mean time of one hash by the clock.
	WallMicroseconds int64 `json:"wallMicroseconds"`
	// ClockHashesMilliPerSecond is hashes per second by the clock, one after
	// another, times 1000.
	ClockHashesMilliPerSecond int64 `json:"clockHashesMilliPerSecond"`
	// ReferenceMicroseconds is the mean CPU time of one hash at the reference cost,
	// 8 unless told otherwise.
	ReferenceMicroseconds int64 `json:"referenceMicroseconds"`
	// RatioPerMillion is CPU time of one hash ÷ that of one reference hash, in
	// millionths, and 1,000,000 for the reference hash itself. The two were timed in
	// turns, so that the ratio does not depend on the speed of the CPU.
	RatioPerMillion int64 `json:"ratioPerMillion,omitempty"`
	// RatioErrorPerMillion is half the width of the ratio's 99.9 % Student interval.
	RatioErrorPerMillion int64 `json:"ratioErrorPerMillion,omitempty"`
	// BlockMicroseconds is the mean CPU time of a reference hash in each calibration
	// block, in the order of time, at most 64. Of more, neighbours are averaged.
	BlockMicroseconds []int64 `json:"blockMicroseconds,omitempty"`
	// ScaledFromCost is the cost that was timed instead, where Cost was too slow;
	// absent where Cost itself was timed.
	ScaledFromCost *int32 `json:"scaledFromCost,omitempty"`

	Surroundings
}

// Surroundings is what the container was given.
type Surroundings struct {
	// GoMaxProcs is how many threads may run Go code at a time.
	GoMaxProcs int32 `json:"goMaxProcs"`
	// Cpuset is the list of CPUs that the container may run on, such as 0-3,8.
	Cpuset string `json:"cpuset,omitempty"`
	// QuotaMilliCPU is the CFS quota in thousandths of a CPU, absent if there is none.
	QuotaMilliCPU *int64 `json:"quotaMilliCPU,omitempty"`
	// QuotaPeriodMicroseconds is the length of the quota's periods, absent where it is
	// the usual 100 ms or there is no quota.
	QuotaPeriodMicroseconds int64 `json:"quotaPeriodMicroseconds,omitempty"`
	// QuotaBurstMicroseconds is how much unused quota may be saved up and used later,
	// absent where none may.
	QuotaBurstMicroseconds int64 `json:"quotaBurstMicroseconds,omitempty"`
	// CPUModel is the CPU's model as the kernel names it.
	CPUModel string `json:"cpuModel,omitempty"`
	// CgroupVersion is 1 or 2, 0 if no cgroup controls the CPU.
	CgroupVersion int32 `json:"cgroupVersion,omitempty"`
	// BootID is the kernel's.
	BootID string `json:"bootID,omitempty"`
	// GoVersion is what the program was built with.
	GoVersion string `json:"goVersion,omitempty"`
}

// NewResult puts a timing and the surroundings it was taken in together.
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
		Surroundings:              where,
	}
	if timing.TimedCost != timing.Cost {
		result.ScaledFromCost = &timing.TimedCost
	}
	return result
}

// PerSecond is the most hashes per second that the container can compute, with
// so many workers or, if that is 0, any number of them:
//
//	min(quota, workers, GOMAXPROCS, CPUs of the cpuset) ÷ CPU time of a hash
//
// It is 0 where there is no hash time.
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
	if set, err := cpuset.Parse(r.Cpuset); err == nil && set.Size() > 0 {
		cpus = min(cpus, float64(set.Size()))
	}
	return cpus * float64(time.Second/time.Microsecond) / float64(r.HashMicroseconds)
}

// mostBlocks is how many blocks a result holds.
const mostBlocks = 64

// blockMicroseconds averages as many neighbours as make few enough blocks.
func blockMicroseconds(seconds []float64) []int64 {
	var blocks []int64
	neighbours := max(1, (len(seconds)+mostBlocks-1)/mostBlocks)
	for chunk := range slices.Chunk(seconds, neighbours) {
		blocks = append(blocks, millionths(stat.Mean(chunk, nil)))
	}
	return blocks
}

// millionths of a ratio, or of a second, which are microseconds.
func millionths(v float64) int64 { return int64(math.Round(v * 1e6)) }

// wholeMillionths is at least 1 for what took any time at all: 0 would read as
// a hash that was never timed, and divide a rate.
func wholeMillionths(v float64) int64 {
	if v <= 0 {
		return 0
	}
	return max(1, millionths(v))
}

// milliPerSecond is 0 for hashes that took no time, which is no rate at all.
func milliPerSecond(seconds float64) int64 {
	if seconds <= 0 {
		return 0
	}
	return int64(math.Round(1000 / seconds))
}
