package calibration

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// Result is the output of a calibration for the operator and for the login service, as
// JSON.
type Result struct {
	// Cost is the bcrypt cost of the hash, 0 with another hash.
	Cost int32 `json:"cost"`
	// Recipe describes the other hash; absent with bcrypt.
	Recipe string `json:"recipe,omitempty"`
	// Calibration has a hash time of 1 for a hash that takes less than a microsecond: its rate is then
	// understated, but still a hundred times what a load could require.
	handover.Calibration
}

// NewResult returns a timing with the surroundings in which it was taken.
func NewResult(timing Timing, where handover.Surroundings) Result {
	result := Result{
		Cost:   timing.Cost,
		Recipe: timing.Recipe,
		Calibration: handover.Calibration{
			CalibrationResult: handover.CalibrationResult{
				HashMicroseconds:          wholeMillionths(timing.CPU.Mean),
				ErrorMicroseconds:         millionths(timing.CPU.HalfWidth),
				Samples:                   timing.CPU.Samples,
				ClockHashesMilliPerSecond: milliPerSecond(timing.Wall.Mean),
			},
			MedianMicroseconds:    wholeMillionths(timing.CPU.Median),
			ReferenceMicroseconds: millionths(timing.Reference.Mean),
			RatioPerMillion:       wholeMillionths(timing.Ratio.Mean),
			RatioErrorPerMillion:  millionths(timing.Ratio.HalfWidth),
			BlockMicroseconds:     blockMicroseconds(timing.Blocks),
			LengthMilliseconds:    timing.Length.Milliseconds(),
			UnknownUserPerMille:   timing.UnknownUserPerMille,
			Surroundings:          where,
		},
	}
	if timing.TimedCost != timing.Cost {
		result.ScaledFromCost = &timing.TimedCost
	}
	return result
}

// PerSecond returns the maximum hashes per second that a calibrated container can compute, with hashes that
// use this many threads in all or, if that is 0, any number of them: MilliCPU ÷ CPU time of a hash. It
// returns 0 without a hash time.
func PerSecond(c handover.Calibration, threads int32) float64 {
	if c.HashMicroseconds <= 0 {
		return 0
	}
	return float64(MilliCPU(c, threads)) / 1000 * float64(time.Second/time.Microsecond) / float64(c.HashMicroseconds)
}

// MilliCPU returns how much CPU a calibrated container can use for hashing, in thousandths: the least of its
// quota, GOMAXPROCS, the CPUs of its cpuset, and the threads of its hashes if that is not 0. What is unknown
// does not limit.
func MilliCPU(c handover.Calibration, threads int32) int64 {
	least := int64(c.GoMaxProcs) * 1000
	if threads > 0 {
		least = min(least, int64(threads)*1000)
	}
	if c.QuotaMilliCPU != nil && *c.QuotaMilliCPU > 0 {
		least = min(least, *c.QuotaMilliCPU)
	}
	if set := int64(evidence.CPUs(c.Cpuset)); set > 0 {
		least = min(least, set*1000)
	}
	return least
}

// blockMicroseconds averages neighbouring blocks until there are at most handover.MostBlocks.
func blockMicroseconds(seconds []float64) []int64 {
	var blocks []int64
	neighbours := max(1, (len(seconds)+handover.MostBlocks-1)/handover.MostBlocks)
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
