package calibration

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Meter tells the time. Only differences are used.
type Meter struct {
	// CPU is the CPU time that the calling thread has used, which computes bcrypt.
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
	// BlockCPU is the CPU time of a block, and BlockWall its time by the clock: a
	// block ends when it has reached one of them.
	BlockCPU, BlockWall time.Duration
}

// Standard limits: three seconds and ten hashes, within a minute; two seconds
// for the reference. Blocks are much shorter than the half second in which the
// speed of a rented CPU begins to change, under a small quota too. On a busy
// machine with two CPUs, the ratio of cost 10 scattered by 0.8 % with blocks of
// 100 ms, and by 0.2 % with blocks of 20 ms.
var Standard = Limits{
	Least: 3 * time.Second, LeastSamples: 10, Most: time.Minute,
	Reference: 2 * time.Second, WarmUp: 500 * time.Millisecond,
	BlockCPU: 25 * time.Millisecond, BlockWall: 100 * time.Millisecond,
}

const (
	// referenceSamples is the fewest hashes at the reference cost: under the
	// smallest quota that a kernel grants, two seconds hold only one.
	referenceSamples = 5
	// fewestSamples is what a spread can be told of at all, beyond every limit.
	fewestSamples = 2
	// sampleTime is filled with several hashes where one takes less than half of
	// it: a clock read around a hash of a microsecond would time the clock.
	sampleTime = time.Millisecond
)

// ErrTooSlow means that not even two hashes fit into the time there is.
var ErrTooSlow = errors.New("a hash takes too long here to be timed; give the service more CPU, or ask for a cheaper hash")

// Calibrator times hashes.
type Calibrator struct {
	Meter  Meter
	Limits Limits
	// Prepare makes a function that computes one bcrypt hash of a cost.
	Prepare func(cost int32) (hash func() error, err error)
	// ReferenceCost is timed in turns with the wanted hash, and must be lower than
	// any cost that has to be scaled.
	ReferenceCost int32
}

// Other is a hash that is not bcrypt's, and so has no cost to be scaled by.
type Other struct {
	// Recipe of it, in words.
	Recipe string
	// CPU is the CPU time that it used. One that hashes on several threads, or
	// leaves work to the runtime, needs the process's.
	CPU func() (time.Duration, error)
	// Prepare makes a function that computes one hash.
	Prepare func() (hash func() error, err error)
}

// Timing is how long hashes took.
type Timing struct {
	// Cost is the one that was asked for, TimedCost the one that was timed: lower
	// where the former was too slow. Both are 0 with another hash than bcrypt.
	Cost, TimedCost int32
	// Recipe of another hash than bcrypt, in words.
	Recipe string
	// CPU time and Wall time of one hash.
	CPU, Wall Statistics
	// Reference is the CPU time of one hash of the reference cost.
	Reference Statistics
	// Ratio is CPU time of one hash ÷ that of one reference hash, by blocks.
	Ratio Statistics
	// Blocks are the mean CPU times of a reference hash in each of its blocks, in
	// seconds, in the order of time.
	Blocks []float64
	// Samples of what was timed.
	Samples []Sample
}

// Sample is what one hash took, or the mean of a batch.
type Sample struct{ CPU, Wall time.Duration }

// Run times hashes of a bcrypt cost. The error is the hash's or the meter's own.
func (c Calibrator) Run(cost int32) (Timing, error) {
	reference, err := c.start(c.bcrypt(c.ReferenceCost))
	if err != nil {
		return Timing{}, err
	}
	if cost == c.ReferenceCost {
		return c.alone(reference)
	}
	timed, err := c.affordable(cost, reference)
	if err != nil {
		return Timing{}, err
	}
	subject, err := c.start(c.bcrypt(timed))
	if err != nil {
		return Timing{}, err
	}
	timing, err := c.alternate(subject, reference)
	if err != nil {
		return Timing{}, err
	}
	timing.Cost, timing.TimedCost = cost, timed
	if timed != cost {
		_, referenceWall := summarise(reference.samples)
		timing.CPU = scale(timing.Reference, timing.CPU, c.ReferenceCost, timed, cost)
		timing.Wall = scale(referenceWall, timing.Wall, c.ReferenceCost, timed, cost)
		timing.Ratio = scale(itself, timing.Ratio, c.ReferenceCost, timed, cost)
	}
	return timing, nil
}

// RunOther times another hash. It is never scaled: one that is slow gets fewer
// samples, two at the least. The error is the hash's or the meter's own, or
// wraps ErrTooSlow.
func (c Calibrator) RunOther(other Other) (Timing, error) {
	reference, err := c.start(c.bcrypt(c.ReferenceCost))
	if err != nil {
		return Timing{}, err
	}
	subject, err := c.start(subject{
		name: other.Recipe, prepare: other.Prepare, cpu: other.CPU,
		patience: c.Limits.Most / fewestSamples,
	})
	if err != nil {
		return Timing{}, err
	}
	timing, err := c.alternate(subject, reference)
	timing.Recipe = other.Recipe
	return timing, err
}

// affordable is the cost itself, or the highest below it whose samples, and the
// hash that prepares them, fit into the time there is. One above the reference
// is timed at the least, or there would be no line to follow. What fits is told
// by the first half of the reference's time.
func (c Calibrator) affordable(cost int32, reference *stopwatch) (int32, error) {
	if cost <= c.ReferenceCost+1 {
		return cost, nil
	}
	if err := reference.until(c.Limits.Reference/2, referenceSamples); err != nil {
		return 0, err
	}
	_, wall := summarise(reference.samples)
	for timed := cost; timed > c.ReferenceCost+1; timed-- {
		perHash := wall.Mean * math.Exp2(float64(timed-c.ReferenceCost))
		if perHash*float64(c.Limits.LeastSamples+1) <= c.Limits.Most.Seconds() {
			return timed, nil
		}
	}
	return c.ReferenceCost + 1, nil
}

// subject is what is timed, and by which clock.
type subject struct {
	name    string
	prepare func() (hash func() error, err error)
	cpu     func() (time.Duration, error)
	// patience is how long preparing it may take; 0 is for ever.
	patience time.Duration
}

func (c Calibrator) bcrypt(cost int32) subject {
	return subject{
		name:    fmt.Sprintf("cost %d", cost),
		prepare: func() (func() error, error) { return c.Prepare(cost) },
		cpu:     c.Meter.CPU,
	}
}

func summarise(samples []Sample) (cpu, wall Statistics) {
	cpuSeconds, wallSeconds := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		cpuSeconds[i], wallSeconds[i] = s.CPU.Seconds(), s.Wall.Seconds()
	}
	return Summarise(cpuSeconds), Summarise(wallSeconds)
}
