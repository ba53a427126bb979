package loadplan

import "math"

// generator is splitmix with 32 bits of state: a counter that is incremented by the golden
// ratio, and a mixer that makes each count look random. The mixer's constants are from a
// search for the lowest bias (github.com/skeeto/hash-prospector, 16 21f0aaad 15 735a2d97 15).
//
// JavaScript can compute it bit for bit with Math.imul, and its period of 2³² is far longer
// than the draws of a step. Seeds s and s+1 use the same cycle, 340,573,321 draws apart.
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
