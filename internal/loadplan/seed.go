package loadplan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// warmupIndex stands for the warm-up where steps are counted from 0.
const warmupIndex = -1

// StepSeed draws the arrivals of a step from the experiment's seed. The variant
// does not enter, so that all variants see one pattern of arrivals and differ
// only in how they bear it; repetitions and steps see different ones.
//
// It is the first 32 bits of a SHA-256, with the last bit cleared: the settling
// part is drawn from seed + 1, which is odd and so never another step's seed.
func StepSeed(seed int64, repetition int32, step int) uint32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%d", seed, repetition, step))
	return binary.BigEndian.Uint32(sum[:4]) &^ 1
}
