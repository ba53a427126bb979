package loadplan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// warmupIndex is the index of the warm-up. Steps are counted from 0.
const warmupIndex = -1

// StepSeed returns the seed of a step's arrivals, from the experiment's seed. It does not
// depend on the variant, so that all variants get the same arrivals and differ only in how
// they handle them. Repetitions and steps have different seeds.
//
// It is the first 32 bits of a SHA-256, with the last bit cleared. The settling part uses
// seed + 1, which is odd and so never another step's seed.
func StepSeed(seed int64, repetition int32, step int) uint32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%d", seed, repetition, step))
	return binary.BigEndian.Uint32(sum[:4]) &^ 1
}
