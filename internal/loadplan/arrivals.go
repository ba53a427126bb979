package loadplan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Due returns when the logins of an open step are due, from the start of the step: first those of
// the settling part, drawn from Seed + 1, then those of the counted part.
func (s Step) Due() []time.Duration {
	settling := time.Duration(s.SettleMilliseconds) * time.Millisecond
	counted := time.Duration(s.CountedMilliseconds) * time.Millisecond
	due := s.part(s.Seed+1, s.SettleRequests, settling)
	for _, at := range s.part(s.Seed, s.Requests, counted) {
		due = append(due, settling+at)
	}
	return due
}

func (s Step) part(seed uint32, n int, over time.Duration) []time.Duration {
	if s.Arrivals == string(v1beta1.ArrivalsUniform) {
		return Uniform(n, over)
	}
	return Poisson(seed, n, over)
}

// Poisson draws n due times in [0, over), in ascending order. The same seed draws the same
// times on every machine, to within a microsecond. It returns nil if n is below 1.
func Poisson(seed uint32, n int, over time.Duration) []time.Duration {
	if n < 1 {
		return nil
	}
	source := generator{state: seed}
	sums := make([]float64, n)
	total := 0.0
	for k := range sums {
		total += source.exponential()
		sums[k] = total
	}
	total += source.exponential()

	due := make([]time.Duration, n)
	for k, sum := range sums {
		due[k] = within(over, sum/total)
	}
	return due
}

// Uniform spaces n due times evenly in [0, over), each in the middle of its share. It returns
// nil if n is below 1.
func Uniform(n int, over time.Duration) []time.Duration {
	if n < 1 {
		return nil
	}
	due := make([]time.Duration, n)
	for k := range due {
		due[k] = within(over, (float64(k)+0.5)/float64(n))
	}
	return due
}

// within returns a share of a time in whole microseconds, always less than all of it.
func within(over time.Duration, share float64) time.Duration {
	us := math.Floor(float64(over.Microseconds()) * share)
	return min(time.Duration(us)*time.Microsecond, over-time.Microsecond)
}

// generator is splitmix with 32 bits of state; the mixer is github.com/skeeto/hash-prospector's
// 16 21f0aaad 15 735a2d97 15. Its period of 2³² is far longer than the draws of a step. Seeds s and s+1
// use the same cycle, 340,573,321 draws apart.
type generator struct{ state uint32 }

func (g *generator) next() uint32 {
	g.state += 0x9e3779b9
	z := g.state
	z ^= z >> 16
	z *= 0x21f0aaad
	z ^= z >> 15
	z *= 0x735a2d97
	z ^= z >> 15
	return z
}

// exponential draws from the exponential distribution with mean 1. It adds half a count so
// that it never computes the logarithm of 0.
func (g *generator) exponential() float64 {
	return -math.Log((float64(g.next()) + 0.5) / (1 << 32))
}

const warmupIndex = -1

// StepSeed returns the seed of a step's arrivals. It does not depend on the variant, so that all variants
// get the same arrivals. The last bit is cleared: the settling part uses seed + 1, which is never another
// step's seed.
func StepSeed(seed int64, repetition int32, step int) uint32 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%d", seed, repetition, step))
	return binary.BigEndian.Uint32(sum[:4]) &^ 1
}
