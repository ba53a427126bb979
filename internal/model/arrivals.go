package model

import (
	"math/rand/v2"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// ArrivalsOf returns the arrivals of an open step as the k6 script sends them, to the
// microsecond: first the settling part, drawn from the step's seed + 1, then the counted part.
func ArrivalsOf(step loadplan.Step) Arrivals {
	settling := time.Duration(step.SettleMilliseconds) * time.Millisecond
	counted := time.Duration(step.CountedMilliseconds) * time.Millisecond
	due := part(step, step.Seed+1, step.SettleRequests, settling)
	first := len(due)
	for _, at := range part(step, step.Seed, step.Requests, counted) {
		due = append(due, settling+at)
	}
	return Arrivals{Due: due, Counted: first}
}

func part(step loadplan.Step, seed uint32, n int, over time.Duration) []time.Duration {
	if step.Arrivals == string(v1alpha1.ArrivalsUniform) {
		return loadplan.Uniform(n, over)
	}
	return loadplan.Poisson(seed, n, over)
}

// Redrawn returns the arrivals of the same step in another run, with another seed. Run 0 also
// differs from ArrivalsOf. Evenly spaced arrivals are the same in every run.
func Redrawn(step loadplan.Step, run int) Arrivals {
	source := rand.New(rand.NewPCG(uint64(step.Seed), uint64(run))) //nolint:gosec // arrivals must be repeatable, not unpredictable
	step.Seed = source.Uint32() &^ 1
	return ArrivalsOf(step)
}
