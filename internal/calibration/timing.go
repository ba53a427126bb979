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
	// ReferenceCost is timed beside the wanted hash, and must be lower than any
	// cost that has to be scaled.
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
	// Samples of what was timed.
	Samples []Sample
}

// Sample is what one hash took, or the mean of a batch.
type Sample struct{ CPU, Wall time.Duration }

// Run times hashes of a bcrypt cost. The error is the hash's or the meter's own.
func (c Calibrator) Run(cost int32) (Timing, error) {
	reference, err := c.reference()
	if err != nil {
		return Timing{}, err
	}
	referenceCPU, referenceWall := summarise(reference)
	timed := c.affordable(cost, referenceWall.Mean)
	samples, err := c.time(c.bcrypt(timed), c.Limits.Least, c.Limits.LeastSamples)
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

// RunOther times another hash. It is never scaled: one that is slow gets fewer
// samples, two at the least. The error is the hash's or the meter's own, or
// wraps ErrTooSlow.
func (c Calibrator) RunOther(other Other) (Timing, error) {
	reference, err := c.reference()
	if err != nil {
		return Timing{}, err
	}
	subject := subject{
		name: other.Recipe, prepare: other.Prepare, cpu: other.CPU,
		patience: c.Limits.Most / fewestSamples,
	}
	samples, err := c.time(subject, c.Limits.Least, c.Limits.LeastSamples)
	if err != nil {
		return Timing{}, err
	}
	timing := Timing{Recipe: other.Recipe, Samples: samples}
	timing.Reference, _ = summarise(reference)
	timing.CPU, timing.Wall = summarise(samples)
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

func (c Calibrator) reference() ([]Sample, error) {
	return c.time(c.bcrypt(c.ReferenceCost), c.Limits.Reference, referenceSamples)
}

// time warms up, then takes samples until it has both the time and the number,
// or has used up what it may.
func (c Calibrator) time(s subject, least time.Duration, samples int) ([]Sample, error) {
	begin := c.Meter.Wall()
	hash, err := s.prepare()
	if err != nil {
		return nil, fmt.Errorf("prepare a hash of %s: %w", s.name, err)
	}
	if took := c.Meter.Wall() - begin; s.patience > 0 && took > s.patience {
		return nil, fmt.Errorf("%w: %s took %s", ErrTooSlow, s.name, took.Round(time.Second))
	}
	batch, err := c.warmUp(s, hash, begin)
	if err != nil {
		return nil, fmt.Errorf("hash by %s: %w", s.name, err)
	}
	var taken []Sample
	var spent time.Duration
	for len(taken) < fewestSamples ||
		spent < c.Limits.Most && (spent < least || len(taken) < samples) {
		sample, err := c.sample(s, hash, batch)
		if err != nil {
			return nil, fmt.Errorf("time a hash of %s: %w", s.name, err)
		}
		taken = append(taken, sample)
		spent += sample.Wall * time.Duration(batch)
	}
	return taken, nil
}

// warmUp hashes until it has warmed up since a moment, and tells how many hashes
// fill a sample. What one takes is CPU time: under a quota, time by the clock
// would make batches too small.
func (c Calibrator) warmUp(s subject, hash func() error, since time.Duration) (batch int, err error) {
	before, err := s.cpu()
	if err != nil {
		return 0, err
	}
	hashes := 0
	for ; c.Meter.Wall()-since < c.Limits.WarmUp; hashes++ {
		if err := hash(); err != nil {
			return 0, err
		}
	}
	after, err := s.cpu()
	if err != nil {
		return 0, err
	}
	used := max(1, after-before)
	return max(1, int(sampleTime*time.Duration(hashes)/used)), nil
}

// sample times a batch of hashes as one.
func (c Calibrator) sample(s subject, hash func() error, batch int) (Sample, error) {
	wall := c.Meter.Wall()
	cpu, err := s.cpu()
	if err != nil {
		return Sample{}, err
	}
	for range batch {
		if err := hash(); err != nil {
			return Sample{}, err
		}
	}
	used, err := s.cpu()
	if err != nil {
		return Sample{}, err
	}
	return Sample{
		CPU:  (used - cpu) / time.Duration(batch),
		Wall: (c.Meter.Wall() - wall) / time.Duration(batch),
	}, nil
}

func summarise(samples []Sample) (cpu, wall Statistics) {
	cpuSeconds, wallSeconds := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		cpuSeconds[i], wallSeconds[i] = s.CPU.Seconds(), s.Wall.Seconds()
	}
	return Summarise(cpuSeconds), Summarise(wallSeconds)
}
