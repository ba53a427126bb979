package calibration

import (
	"fmt"
	"math"
	"time"
)

// Meter tells the time. Only differences are used.
type Meter struct {
	// CPU is the CPU time that the calling thread has used.
	CPU func() (time.Duration, error)
	// Wall is the time by a monotonic clock.
	Wall func() time.Duration
}

// Limits bound how long hashes are timed.
type Limits struct {
	// Least time, and LeastSamples, that the samples of a cost must reach.
	Least        time.Duration
	LeastSamples int
	// Most time that they may take, whatever is reached by then.
	Most time.Duration
	// Reference is the least time for the reference cost.
	Reference time.Duration
	// WarmUp is the least time before the first sample of a cost.
	WarmUp time.Duration
}

// Standard limits: three seconds and ten hashes, within a minute; two seconds
// for the reference.
var Standard = Limits{
	Least: 3 * time.Second, LeastSamples: 10, Most: time.Minute,
	Reference: 2 * time.Second, WarmUp: 500 * time.Millisecond,
}

const (
	// referenceSamples is the fewest hashes at the reference cost: under the
	// smallest quota that a kernel grants, two seconds hold only one.
	referenceSamples = 5
	// fewestSamples is what a spread can be told of at all, beyond every limit.
	fewestSamples = 2
)

// Calibrator times hashes.
type Calibrator struct {
	Meter  Meter
	Limits Limits
	// Prepare makes a function that computes one hash of a cost.
	Prepare func(cost int32) (hash func() error, err error)
	// ReferenceCost is timed beside the wanted cost, and must be lower than any
	// that has to be scaled.
	ReferenceCost int32
}

// Timing is how long hashes took.
type Timing struct {
	// Cost is the one that was asked for, TimedCost the one that was timed: lower
	// where the former was too slow.
	Cost, TimedCost int32
	// CPU time and Wall time of one hash of Cost.
	CPU, Wall Statistics
	// Reference is the CPU time of one hash of the reference cost.
	Reference Statistics
	// Samples of TimedCost.
	Samples []Sample
}

// Sample is what one hash took.
type Sample struct{ CPU, Wall time.Duration }

// Run times hashes of a cost. The error is the hash's or the meter's own.
func (c Calibrator) Run(cost int32) (Timing, error) {
	reference, err := c.time(c.ReferenceCost, c.Limits.Reference, referenceSamples)
	if err != nil {
		return Timing{}, err
	}
	referenceCPU, referenceWall := summarise(reference)
	timed := c.affordable(cost, referenceWall.Mean)
	samples, err := c.time(timed, c.Limits.Least, c.Limits.LeastSamples)
	if err != nil {
		return Timing{}, err
	}
	timing := Timing{Cost: cost, TimedCost: timed, Reference: referenceCPU, Samples: samples}
	timing.CPU, timing.Wall = summarise(samples)
	if timed != cost {
		timing.CPU = scale(referenceCPU, timing.CPU, c.ReferenceCost, timed, cost)
		timing.Wall = scale(referenceWall, timing.Wall, c.ReferenceCost, timed, cost)
	}
	return timing, nil
}

// affordable is the cost itself, or the highest below it whose samples, and the
// hash that prepares them, fit into the time there is. One above the reference
// is timed at the least, or there would be no line to follow.
func (c Calibrator) affordable(cost int32, referenceSeconds float64) int32 {
	for timed := cost; timed > c.ReferenceCost+1; timed-- {
		perHash := referenceSeconds * math.Exp2(float64(timed-c.ReferenceCost))
		if perHash*float64(c.Limits.LeastSamples+1) <= c.Limits.Most.Seconds() {
			return timed
		}
	}
	return min(cost, c.ReferenceCost+1)
}

// time warms up, then takes samples of a cost until it has both the time and
// the number, or has used up what it may.
func (c Calibrator) time(cost int32, least time.Duration, samples int) ([]Sample, error) {
	begin := c.Meter.Wall()
	hash, err := c.Prepare(cost)
	if err != nil {
		return nil, fmt.Errorf("prepare a hash of cost %d: %w", cost, err)
	}
	for c.Meter.Wall()-begin < c.Limits.WarmUp {
		if err := hash(); err != nil {
			return nil, fmt.Errorf("hash at cost %d: %w", cost, err)
		}
	}
	var taken []Sample
	var spent time.Duration
	for len(taken) < fewestSamples ||
		spent < c.Limits.Most && (spent < least || len(taken) < samples) {
		sample, err := c.sample(hash)
		if err != nil {
			return nil, fmt.Errorf("time a hash of cost %d: %w", cost, err)
		}
		taken = append(taken, sample)
		spent += sample.Wall
	}
	return taken, nil
}

func (c Calibrator) sample(hash func() error) (Sample, error) {
	wall := c.Meter.Wall()
	cpu, err := c.Meter.CPU()
	if err != nil {
		return Sample{}, err
	}
	if err := hash(); err != nil {
		return Sample{}, err
	}
	used, err := c.Meter.CPU()
	if err != nil {
		return Sample{}, err
	}
	return Sample{CPU: used - cpu, Wall: c.Meter.Wall() - wall}, nil
}

func summarise(samples []Sample) (cpu, wall Statistics) {
	cpuSeconds, wallSeconds := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		cpuSeconds[i], wallSeconds[i] = s.CPU.Seconds(), s.Wall.Seconds()
	}
	return Summarise(cpuSeconds), Summarise(wallSeconds)
}
