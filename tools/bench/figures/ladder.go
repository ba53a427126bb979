package figures

import "math"

// Step is an offered rate and its p95, which is infinite if the service was overloaded.
type Step struct{ Rate, P95 float64 }

// Rising returns rungs, in the order of their rates, with p95s that never fall. It changes
// their logarithms as little as possible: neighbours that fall are replaced with their
// geometric mean (pool adjacent violators). More load can't make a queue shorter, so a fall is
// random.
func Rising(rungs []Step) []Step {
	type pool struct {
		sum  float64
		size int
	}
	mean := func(p pool) float64 { return p.sum / float64(p.size) }
	var pools []pool
	for _, rung := range rungs {
		pools = append(pools, pool{math.Log(rung.P95), 1})
		for n := len(pools); n > 1 && mean(pools[n-2]) > mean(pools[n-1]); n = len(pools) {
			pools[n-2] = pool{pools[n-2].sum + pools[n-1].sum, pools[n-2].size + pools[n-1].size}
			pools = pools[:n-1]
		}
	}
	var rising []Step
	for _, p := range pools {
		for range p.size {
			rising = append(rising, Step{Rate: rungs[len(rising)].Rate, P95: math.Exp(mean(p))})
		}
	}
	return rising
}

// Crossing returns the rate at which rising p95s reach the objective, interpolated between the
// two rungs around it in the logarithm of p95. It is NaN if no rung meets the objective, or
// all do.
func Crossing(rising []Step, objective float64) float64 {
	for i, rung := range rising {
		if rung.P95 <= objective {
			continue
		}
		if i == 0 {
			return math.NaN()
		}
		below := rising[i-1]
		share := math.Log(objective/below.P95) / math.Log(rung.P95/below.P95)
		return below.Rate + share*(rung.Rate-below.Rate)
	}
	return math.NaN()
}
